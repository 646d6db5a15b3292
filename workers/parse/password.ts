import { ReadProblem } from "./reader.ts";

/** A file that nobody can read without its password: said in one sentence, so that such files stand together in a list. */
export function passwordNeeded(): ReadProblem {
  return new ReadProblem(
    "needs_password",
    "It opens only with a password. Save a copy without one to have it indexed.",
  );
}
