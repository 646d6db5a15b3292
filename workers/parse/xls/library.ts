import { passwordNeeded } from "../password.ts";
import type { ParsingOptions, WorkBook } from "@e965/xlsx";
import { ReadProblem } from "../reader.ts";

/** The compound file that an .xls is. The library's types leave it out. */
export interface Container {
  readonly FullPaths: readonly string[];
}

export interface ContainerEntry {
  readonly content: Uint8Array;
}

export interface Library {
  read(bytes: Uint8Array, options: ParsingOptions): WorkBook;
  parse_xlscfb(container: Container, options: ParsingOptions): WorkBook;
  readonly CFB: {
    read(bytes: Uint8Array, options: { type: "buffer" }): Container;
    find(container: Container, path: string): ContainerEntry | null;
  };
}

/** The library with the code pages that files of before 1997 are written in. */
export async function loadLibrary(): Promise<Library> {
  const [library, codePages] = await Promise.all([
    import("@e965/xlsx"),
    import("@e965/xlsx/dist/cpexcel.full.mjs"),
  ]);
  library.set_cptable(codePages);
  return library as unknown as Library;
}

export function optionsFor(rowLimit: number | null): ParsingOptions {
  return {
    type: "buffer",
    dense: true,
    cellFormula: false,
    cellHTML: false,
    cellNF: true,
    sheetRows: rowLimit ?? 0,
  };
}

/** Runs what the library does on bytes that may be anything. @throws ReadProblem */
export function guarded<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    if (error instanceof ReadProblem) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (/password|encrypt/i.test(reason)) throw passwordNeeded();
    throw new ReadProblem("corrupt", `It cannot be read as a workbook (${reason.slice(0, 200)}).`);
  }
}
