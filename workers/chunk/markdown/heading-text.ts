import { clusterEdgeBefore } from "../graphemes.ts";

const MAX_LENGTH = 200;
const mayHoldMarks = /[[<{*_`\\~]|\s\s/;

/** A heading as people read it: without marks of emphasis, code, links and anchors; 200 characters at most. */
export function headingText(source: string): string {
  const cut = source.slice(0, 4 * MAX_LENGTH);
  const text = mayHoldMarks.test(cut) ? withoutMarks(cut) : cut.trim();
  return text.length <= MAX_LENGTH ? text : text.slice(0, clusterEdgeBefore(text, MAX_LENGTH, 0));
}

function withoutMarks(source: string): string {
  return source
    .replaceAll(/!?\[\[([^[\]|]*)(?:\|([^[\]|]*))?\]\]/g, (_, note: string, words?: string) => words ?? note)
    .replaceAll(/!?\[([^[\]]*)\](?:\([^()\s]*(?:\s"[^"]*")?\)|\[[^[\]]*\])/g, "$1")
    .replaceAll(/<\/?[a-z][^<>]*>/gi, "")
    .replaceAll(/\{#[^{}]*\}\s*$/g, "")
    .replaceAll(/(\*\*|__|`+|~~)/g, "")
    .replaceAll(/(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])/gu, "")
    .replaceAll(/\\([!-/:-@[-`{-~])/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}
