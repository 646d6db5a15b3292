import { passwordNeeded } from "./password.ts";
import { type OleKind, oleKind } from "./ole/kind.ts";
import { type Reader, ReadProblem } from "./reader.ts";

/** What is said of the kinds that no other reader takes. */
const refusals: Partial<Record<OleKind, ReadProblem>> = {
  encrypted: passwordNeeded(),
  word: new ReadProblem(
    "unsupported",
    "It is a document of Word 97 to 2003 (.doc), which is not read: open it and save it as .docx.",
  ),
  powerpoint: new ReadProblem(
    "unsupported",
    "It is a presentation of PowerPoint 97 to 2003 (.ppt), which is not read: open it and save it as .pptx.",
  ),
};

/** Office files behind a password, whatever they are called, and old ones that are not read: the reason is told. */
export const oleReader: Reader = {
  id: "ole",
  version: 1,
  format: "ole",
  name: "Office file behind a password, or of before 2007 (told, not read)",
  extensions: [],
  library: "own",
  recognises: (probe) => probe.text === null && refusals[oleKind(probe.bytes) ?? "other"] !== undefined,
  read(input) {
    const refusal = refusals[oleKind(input.bytes) ?? "other"];
    throw refusal === undefined
      ? new TypeError(`${input.name} is not for this reader`)
      : new ReadProblem(refusal.failure, refusal.message);
  },
};
