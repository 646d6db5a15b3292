#!/usr/bin/env node
import { CommanderError } from "commander";
import { EXIT } from "./exit.ts";
import { createProgram } from "./program.ts";
import { reportFailure } from "./report-failure.ts";

// A reader that has what it wanted (| head) closes the pipe: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.done);
  process.stderr.write(`knowd: the output could not be written: ${error.message}\n`);
  process.exit(EXIT.failed);
});

try {
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error.code === "commander.unknownOption")
      process.stderr.write(
        "       a name or a word that begins with a dash goes behind --  (knowd search -- -x)\n",
      );
  } else process.exitCode = await reportFailure(error);
}
