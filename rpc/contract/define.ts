import type { z } from "zod";
import type { ErrorName } from "./errors.ts";

/** read: changes nothing. write: changes bases, items or sources. admin: changes the daemon itself. */
export type Access = "read" | "write" | "admin";

export interface MethodSpec<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  readonly params: P;
  readonly result: R;
  /** The errors of the table that this method may answer with, beside the ones every method may. */
  readonly errors: readonly ErrorName[];
  readonly access: Access;
  /** One line for the reference page and for `system.methods`. */
  readonly doc: string;
  /** Parameters that are valid as they stand. */
  readonly example: z.input<P>;
  /** How long the method may take before it is answered with DEADLINE, in milliseconds. */
  readonly deadlineMs: number;
  /** Offered to agents as a tool; one that writes has access "write". */
  readonly tool?: boolean;
}

type SpecInput<P extends z.ZodType, R extends z.ZodType> = Omit<
  MethodSpec<P, R>,
  "errors" | "access" | "deadlineMs"
> &
  Partial<Pick<MethodSpec<P, R>, "errors" | "access" | "deadlineMs">>;

const DEFAULT_DEADLINE_MS = 30_000;

/** Completes a method's specification: read access, no errors of its own and 30 s unless said otherwise. */
export function method<P extends z.ZodType, R extends z.ZodType>(spec: SpecInput<P, R>): MethodSpec<P, R> {
  return {
    ...spec,
    errors: spec.errors ?? [],
    access: spec.access ?? "read",
    deadlineMs: spec.deadlineMs ?? DEFAULT_DEADLINE_MS,
  };
}
