/** What a script learns from the exit code. */
export const EXIT = { done: 0, failed: 1, usage: 2, noDaemon: 3, notFound: 4 } as const;

/** Ends the command with a sentence for people and an exit code; nothing else is printed. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: number;
  readonly hint: string | null;
  constructor(exitCode: number, message: string, hint: string | null = null) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}
