import type { Reader } from "./reader.ts";

const extensions: readonly string[] = ["org", "org_archive"];

/** Org notes as Markdown, each line with the line of the file that it comes from. */
export const orgReader: Reader = {
  id: "org",
  version: 2,
  format: "org",
  name: "Org notes",
  extensions,
  library: "own",
  recognises: (probe) =>
    probe.text !== null &&
    (extensions.includes(probe.extension) || /^#? *-\*-.{0,100}\bmode: *org\b/i.test(probe.text.text)),
  async read(input) {
    const { readOrg } = await import("./org/read-org.ts");
    return readOrg(input);
  },
};
