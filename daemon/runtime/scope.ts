import type { MethodSpec } from "../../rpc/contract/define.ts";
import { KnowdError } from "./errors.ts";

/** What a call may be told of, and whether it may change it. Worked out anew for each call (K10.1). */
export interface Scope {
  readonly kind: "none" | "unrestricted" | "restricted";
  readonly write: boolean;
  /** Of a connection without a session: the daemon's own user, who may do all. */
  readonly isOwner: boolean;
  /** The bases there are in it; null for all. An empty list is none, never all. */
  readonly baseIds: readonly string[] | null;
  has(baseId: string): boolean;
  /** The same, and those that were deleted since they were granted: that they are gone may be told. */
  grants(baseId: string): boolean;
}

const yes = (): boolean => true;
const no = (): boolean => false;

export const ownerScope: Scope = {
  kind: "unrestricted",
  write: true,
  isOwner: true,
  baseIds: null,
  has: yes,
  grants: yes,
};

/** Of a session whose token is not good, or not any more. */
export const emptyScope: Scope = {
  kind: "none",
  write: false,
  isOwner: false,
  baseIds: [],
  has: no,
  grants: no,
};

/** Whether a method is offered within a scope at all, whatever it is called with. */
export function mayCall(
  { access, scope: rule }: Pick<MethodSpec, "access" | "scope">,
  scope: Scope,
): boolean {
  if (scope.isOwner) return true;
  if (access === "admin" || (access === "write" && !scope.write)) return false;
  if (scope.kind === "unrestricted" || rule === "open") return true;
  return scope.kind === "restricted" && rule !== undefined;
}

/** The one answer to what lies outside, whether it is there or not: who may not see a thing can't tell either. */
export function outOfScope(data: Readonly<Record<string, unknown>> = {}): KnowdError {
  return new KnowdError("OUT_OF_SCOPE", data);
}

/** The error for what was not found: within a restricted scope it is the same as for what is out of it. */
export function notFoundIn(scope: Scope, error: KnowdError): KnowdError {
  return scope.kind === "unrestricted" ? error : outOfScope(error.data);
}

/** Of what stands in no base only they are told who are told of all. */
export function isToldOf({ baseId }: { readonly baseId: string | null }, scope: Scope): boolean {
  return baseId === null ? scope.kind === "unrestricted" : scope.grants(baseId);
}
