import { z } from "zod";
import { method } from "./define.ts";

/** ok: as it should be. note: worth knowing, nothing is broken. problem: something does not work. */
export const checkState = z.enum(["ok", "note", "problem"]);
export type CheckState = z.infer<typeof checkState>;

export const check = z.object({
  id: z.string().describe("what was looked at, one word or two, such as `data-folder`"),
  state: checkState,
  found: z.string().describe("a sentence for people"),
  fix: z
    .string()
    .nullable()
    .describe("what to do: a command for a shell, or a sentence; null when all is well"),
});
export type Check = z.infer<typeof check>;

export const doctorMethods = {
  "system.doctor": method({
    params: z.strictObject({
      online: z
        .boolean()
        .default(false)
        .describe("also ask the configured models' endpoints, one short text each, which may cost money"),
      deep: z
        .boolean()
        .default(false)
        .describe("read every index whole, as base.check does, instead of a sample"),
    }),
    result: z.object({
      ok: z.boolean().describe("no check is a problem"),
      checks: z.array(check),
    }),
    doc: "Look for what keeps the daemon from working well, each with what to do.",
    example: {},
    deadlineMs: 600_000,
  }),
};
