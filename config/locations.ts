import { fileURLToPath } from "node:url";

/** Tests run this file as source; processes and threads load built JavaScript in either case. */
const isSource = import.meta.url.endsWith(".ts");
const packageRoot = new URL(isSource ? "../" : "../../", import.meta.url);
const built = new URL("dist/", packageRoot);

/** Where the parts of this package are that are started or read by path. */
export const locations = {
  packageRoot: fileURLToPath(packageRoot),
  /** The daemon's own entry, which the command line starts. */
  daemon: new URL("daemon/main.js", built),
  workerHost: new URL("workers/host.js", built),
  onnxHost: new URL("workers/embed/onnx/host.js", built),
  searchHost: new URL("workers/search/host.js", built),
  watcherThread: new URL("workers/watch/thread.js", built),
  embeddedModel: {
    modelPath: fileURLToPath(new URL("workers/embed/model/static-en-128.bin", packageRoot)),
    vocabularyPath: fileURLToPath(new URL("workers/embed/model/static-en-128.vocab.json", packageRoot)),
    relatedPath: fileURLToPath(new URL("workers/embed/model/related-words.bin", packageRoot)),
  },
} as const;
