// Makes code.ts of kernel.wat and escape-code.ts of escape.wat, in workers/search/kernel: npm run kernel.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openWabt from "wabt";

const folder = new URL("../../workers/search/kernel/", import.meta.url);

const kernels = [
  { source: "kernel.wat", target: "code.ts", name: "KERNEL_CODE" },
  { source: "escape.wat", target: "escape-code.ts", name: "ESCAPE_CODE" },
];

/** A kernel compiled, in base64. */
export async function compileKernel(source) {
  const wabt = await openWabt();
  const text = readFileSync(new URL(source, folder), "utf8");
  const module = wabt.parseWat(source, text, { simd: true, threads: true });
  return Buffer.from(module.toBinary({}).buffer).toString("base64");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { source, target, name } of kernels) {
    const lines = (await compileKernel(source)).match(/.{1,100}/g).map((line) => `  "${line}"`);
    const head = `/** ${source}, compiled by \`npm run kernel\`; base64. */\nexport const ${name} =\n`;
    writeFileSync(new URL(target, folder), `${head}${lines.join(" +\n")};\n`);
  }
}
