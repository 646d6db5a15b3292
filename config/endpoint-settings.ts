import { z } from "zod";

/** What the tables of models and services behind HTTP have in common. */
export const entryId = (description: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}$/)
    .meta({ description });

export const endpointAddress = (description: string) =>
  z
    .url({ protocol: /^https?$/ })
    .refine((url) => !URL.canParse(url) || (new URL(url).username === "" && new URL(url).password === ""), {
      message: "must hold no user name or password: use apiKeyEnv or apiKeyFile",
    })
    .meta({ description });

export const endpointKey = {
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .optional()
    .meta({ description: "environment variable that holds the key" }),
  apiKeyFile: z.string().min(1).optional().meta({ description: "file that holds the key and nothing else" }),
};

/** For `.refine`: a key stands in one place. */
export const keepsOneKey = [
  (one: { apiKeyEnv?: string | undefined; apiKeyFile?: string | undefined }): boolean =>
    one.apiKeyEnv === undefined || one.apiKeyFile === undefined,
  { path: ["apiKeyFile"], message: "can't stand beside apiKeyEnv: keep one of them" },
] satisfies [(one: never) => boolean, object];

/** Each id stands for one thing. `taken` are those that need no configuration. */
export function refuseSameIds(
  list: readonly { readonly id: string }[],
  noun: string,
  taken: readonly string[],
  context: z.core.$RefinementCtx,
): void {
  const seen = new Set(taken);
  list.forEach(({ id }, index) => {
    if (seen.has(id)) {
      context.addIssue({
        code: "custom",
        path: [`${noun}s`, index, "id"],
        message: `must be unlike every other ${noun}'s id`,
      });
    }
    seen.add(id);
  });
}
