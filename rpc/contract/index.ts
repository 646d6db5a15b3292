import type { z } from "zod";
import { baseMethods } from "./bases.ts";
import { citationMethods } from "./citations.ts";
import { doctorMethods } from "./doctor.ts";
import { explainMethods } from "./explain.ts";
import { grepMethods, type GrepPart } from "./grep.ts";
import { itemMethods } from "./items.ts";
import { jobMethods } from "./jobs.ts";
import { kbMethods } from "./kb.ts";
import { searchMethods } from "./search.ts";
import { sessionMethods } from "./sessions.ts";
import { similarMethods } from "./similar.ts";
import { snapshotMethods } from "./snapshots.ts";
import { sourceMethods } from "./sources.ts";
import { systemMethods } from "./system.ts";

/** Every method that knowd answers. Client, handlers, help and the reference page are all made from this table. */
export const methodTable = {
  ...systemMethods,
  ...doctorMethods,
  ...sessionMethods,
  ...baseMethods,
  ...sourceMethods,
  ...itemMethods,
  ...snapshotMethods,
  ...searchMethods,
  ...explainMethods,
  ...similarMethods,
  ...kbMethods,
  ...grepMethods,
  ...citationMethods,
  ...jobMethods,
};

export type MethodTable = typeof methodTable;
export type MethodName = keyof MethodTable;

/** What a caller sends: defaults may be left out. */
export type ParamsInput<M extends MethodName> = z.input<MethodTable[M]["params"]>;
/** What a handler gets: defaults are filled in. */
export type Params<M extends MethodName> = z.output<MethodTable[M]["params"]>;
export type Result<M extends MethodName> = z.output<MethodTable[M]["result"]>;

/** Notifications the daemon sends: `$/progress` to the caller of a long call, `events.change` to subscribers. */
export interface Notifications {
  "$/progress": {
    token: string | number;
    done: number;
    total: number | null;
    message: string;
    /** Of the result, where the call asked to have it streamed. */
    part?: GrepPart;
  };
  "events.change": import("./system.ts").Change;
}
