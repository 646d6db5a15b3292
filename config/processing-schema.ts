import { z } from "zod";
import { entryId, refuseSameIds } from "./endpoint-settings.ts";
import { DAY, HOUR, SECOND, count, milliseconds } from "./setting-kinds.ts";

/** One `[[processing.processors]]` table: a program or a service that turns files into Markdown. */
const processor = z
  .strictObject({
    id: entryId("name by which a base refers to the processor"),
    extensions: z
      .array(z.string().regex(/^[a-z0-9]{1,32}$/))
      .min(1)
      .max(200)
      .meta({ description: "which files it takes: extensions in lower case, without the dot" }),
    when: z.enum(["unreadable", "always"]).default("unreadable").meta({
      description: "only for files that knowd finds no text in itself, or in place of its own reader",
    }),
    command: z.array(z.string().min(1).max(4096)).min(1).max(100).optional().meta({
      description:
        "program and arguments, no shell; {input} is the file, {output} where its Markdown goes (else standard output)",
    }),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .meta({ description: "service that takes the file's bytes by POST, instead of a command" }),
    deadlineMs: milliseconds(HOUR, SECOND, DAY, "time that one file may take"),
  })
  .refine(
    ({ command }) => command === undefined || command.slice(1).some((part) => part.includes("{input}")),
    {
      path: ["command"],
      message: "must name {input} among its arguments: where the file is put",
    },
  )
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    path: ["command"],
    message: "must stand alone: a processor has either a command or a url",
  });

export const processingSection = z
  .strictObject({
    maxConcurrent: count(1, 1, 64, "files in processing at a time"),
    processors: z
      .array(processor)
      .max(32)
      .default([])
      .meta({ description: "programs and services, each a [[processing.processors]] table" }),
  })
  .superRefine(({ processors }, context) => refuseSameIds(processors, "processor", [], context));

export type ProcessingSettings = z.infer<typeof processingSection>;
