import { InvalidArgumentError, type Command } from "commander";
import { EXIT } from "../exit.ts";

/** An option that may be repeated. */
export const many = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

/** A whole number that is not negative. */
export function number(value: string): number {
  const parsed = Number(value);
  if (!Number.isSafeInteger(parsed) || parsed < 0)
    throw new InvalidArgumentError("a whole number is needed.");
  return parsed;
}

/**
 * Runs a verb with the flags of the program and its own; a number it answers is the exit code. It loads its own module when
 * it is run: a cold command must answer fast.
 */
export function verb(run: (flags: never, ...args: never[]) => Promise<number | void>) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const args = given.slice(0, -2) as never[];
    process.exitCode = (await run(command.optsWithGlobals<never>(), ...args)) ?? EXIT.done;
  };
}
