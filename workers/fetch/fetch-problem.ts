/** refused: our rules forbid it, or nothing can be kept of it. failed: another try may do better. */
export type FetchProblemKind = "refused" | "failed" | "gone";

/** Why a URL gave nothing to keep; the message is for people. */
export class FetchProblem extends Error {
  override readonly name = "FetchProblem";
  readonly kind: FetchProblemKind;
  constructor(kind: FetchProblemKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
