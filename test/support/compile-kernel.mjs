// Makes workers/search/kernel/code.ts of kernel.wat: npm run kernel.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openWabt from "wabt";

const folder = new URL("../../workers/search/kernel/", import.meta.url);

/** The compiled kernel in base64. */
export async function compileKernel() {
  const wabt = await openWabt();
  const text = readFileSync(new URL("kernel.wat", folder), "utf8");
  const module = wabt.parseWat("kernel.wat", text, { simd: true });
  return Buffer.from(module.toBinary({}).buffer).toString("base64");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lines = (await compileKernel()).match(/.{1,100}/g).map((line) => `  "${line}"`);
  const head = "/** kernel.wat, compiled by `npm run kernel`; base64. */\nexport const KERNEL_CODE =\n";
  writeFileSync(new URL("code.ts", folder), `${head}${lines.join(" +\n")};\n`);
}
