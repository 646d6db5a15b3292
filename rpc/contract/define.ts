import type { z } from "zod";
import type { ErrorName } from "./errors.ts";

/** read: changes nothing. write: changes bases, items or sources. admin: changes the daemon itself. */
export type Access = "read" | "write" | "admin";

/**
 * open: tells of no base. named: all it is about is named by ids in its params, and all of these must be in the scope. bases:
 * the same, and where `baseIds` is left out it is about the scope's bases. own: the method itself tells only of what is in the
 * call's scope; ids of bases, sources and jobs are looked at before.
 */
export type ScopeRule = "open" | "named" | "bases" | "own";

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
  /** How a session that is restricted to some bases may call it; left out, it may not. */
  readonly scope?: ScopeRule;
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
