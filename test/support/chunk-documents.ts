import * as fc from "fast-check";

const piece = fc.oneof(
  fc.constantFrom(
    "word ",
    "another, ",
    "end. ",
    "\n",
    "\n\n",
    "\r\n",
    "  ",
    "\t",
    "# Heading\n",
    "## Sub *heading*\n",
  ),
  fc.constantFrom("- item\n", "---\n", "> quote\n", "    code\n", "1. one\n", "x".repeat(40), "1234567890"),
  fc.constantFrom(
    "```js\nlet a = 1;\n# no heading\n\nlet b;\n```\n",
    "~~~\nfenced\n~~~\n",
    "```\nopen fence\n",
    "| a | b |\n|---|---|\n| one | two |\n",
    "| 1 | 2 |\n",
  ),
  fc.constantFrom(
    "👨‍👩‍👧‍👦",
    "🇩🇪🇫🇷",
    "👍🏽",
    "e\u0301\u0323",
    " \u0301",
    "नमस्ते",
    "각",
    "ภาษาไทย",
    "请假流程。",
    "日本語、",
    "क्षि",
  ),
);
/** Texts of all that a cut must look out for. */
export const documents = fc.array(piece, { maxLength: 120, size: "max" }).map((pieces) => pieces.join(""));
export const chunkSettings = fc
  .record({
    chunkSize: fc.integer({ min: 12, max: 120 }),
    share: fc.double({ min: 0, max: 0.6, noNaN: true }),
    strategy: fc.constantFrom("structured" as const, "delimiter" as const),
    separator: fc.constantFrom(null, "\\n", ". ", "。", "wo"),
    hard: fc.boolean(),
  })
  .map(({ share, ...rest }) => ({ ...rest, chunkOverlap: Math.floor(rest.chunkSize * share) }));
