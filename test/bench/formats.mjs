// npm run bench -- formats: how fast each format becomes chunks on one core, and at what peak of memory.
// Each format runs in a process of its own, which reads files that were made before: the first once to warm up, then all.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { samples, workbooks } from "./samples/formats.mjs";

const MIB = 1024 * 1024;
const chunking = {
  chunkSize: 1024,
  chunkOverlap: 200,
  strategy: "structured",
  separator: null,
  hard: false,
};

/** In the child: reads the files of one format and prints what it took. */
async function measure(files) {
  const { parseBytes } = await import("../../dist/workers/parse/parse-bytes.js");
  const { chunkDocument, prepareDocument } = await import("../../dist/workers/parse/prepare.js");
  let [characters, chunks, warnings] = [0, 0, 0];
  const read = async (file) => {
    const relativePath = path.basename(file);
    const limits = { maxTextChars: 128 * MIB, chunkTokens: chunking.chunkSize };
    const bytes = readFileSync(file);
    const parsed = await parseBytes({ bytes, relativePath, snapshot: false, limits, signal: undefined });
    return prepareDocument(parsed, chunkDocument(parsed, { materialId: "m", relativePath, chunking }));
  };
  const { format } = await read(files[0]);
  const idle = process.cpuUsage();
  for (const file of files) {
    const document = await read(file);
    characters += document.text.length;
    chunks += document.units.length;
    warnings += document.warnings.length;
  }
  const { user, system } = process.cpuUsage(idle);
  process.stdout.write(
    JSON.stringify({
      format,
      cpuMs: (user + system) / 1000,
      characters,
      chunks,
      warnings,
      peakMiB: peakMiB(),
    }),
  );
}

/** Of this program alone: what getrusage says counts the one that it was forked from. */
function peakMiB() {
  const peak = /^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"));
  return Math.round(Number(peak?.[1]) / 1024);
}

async function compare() {
  const folder = mkdtempSync(path.join(tmpdir(), "knowd-formats-"));
  const columns = (cells) =>
    cells.map((cell, at) => (at === 0 ? String(cell).padEnd(18) : String(cell).padStart(13))).join("");
  process.stdout.write(
    `${columns(["input", "files", "MB", "files/CPU s", "units/CPU s", "text MB", "chunks", "peak MiB"])}\n`,
  );
  let failed = false;
  try {
    for (const { name, extension, unit, unitsPerFile, bar, files } of [
      ...samples(),
      ...(await workbooks()),
    ]) {
      const paths = files.map((bytes, at) => {
        const file = path.join(folder, `${name}-${at}.${extension}`);
        writeFileSync(file, bytes);
        return file;
      });
      const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), "--measure", ...paths], {
        encoding: "utf8",
        maxBuffer: MIB,
      });
      if (child.status !== 0) {
        failed = true;
        process.stdout.write(`${name.padEnd(18)} failed: ${child.stderr.trim().split("\n").at(-1)}\n`);
        continue;
      }
      const { cpuMs, characters, chunks, warnings, peakMiB } = JSON.parse(child.stdout);
      const perSecond = (files.length * 1000) / cpuMs;
      const units = unit === undefined ? "" : `${Math.round(perSecond * unitsPerFile)} ${unit}`;
      const megabytes = files.reduce((sum, bytes) => sum + bytes.length, 0) / MIB;
      const cells = [
        name,
        files.length,
        megabytes.toFixed(1),
        perSecond.toFixed(1),
        units,
        (characters / MIB).toFixed(1),
        chunks,
        peakMiB,
      ];
      const notes = [
        bar === undefined ? "" : `bar: ${bar}`,
        warnings > 0 ? `${warnings} warnings` : "",
      ].filter((note) => note !== "");
      process.stdout.write(`${columns(cells)}  ${notes.join(", ")}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (failed) process.exitCode = 1;
}

if (process.argv[2] === "--measure") await measure(process.argv.slice(3));
else await compare();
