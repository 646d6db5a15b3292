/** What a numbered error means: its JSON-RPC code, the sentence a person reads, and what to do next. */
export interface ErrorSpec {
  readonly code: number;
  readonly message: string;
  readonly hint: string;
}

/**
 * Every error that knowd itself answers with. JSON-RPC's own codes (-32700 … -32600) stay with the protocol.
 * Numbers are never reused: 10xx system, 11xx bases, 12xx items and sources, 13xx search, 14xx jobs.
 */
export const errorTable = {
  INTERNAL: {
    code: 1000,
    message: "Something went wrong inside knowd.",
    hint: "See the log; report it if it happens again.",
  },
  CANCELLED: {
    code: 1001,
    message: "The request was cancelled.",
    hint: "Send it again if that was a mistake.",
  },
  DEADLINE: {
    code: 1002,
    message: "The request passed its deadline.",
    hint: "Ask for less at once, or pass a larger deadlineMs.",
  },
  OVERLOADED: {
    code: 1003,
    message: "Too many requests are in flight.",
    hint: "Wait for answers before you send more.",
  },
  STOPPING: { code: 1004, message: "The daemon is stopping.", hint: "Start it again: knowd up" },
  OUT_OF_SCOPE: {
    code: 1005,
    message: "This connection may not do that.",
    hint: "Open a session with a token that grants it.",
  },
  INVALID_FIELD: {
    code: 1006,
    message: "A field has a value that is not allowed.",
    hint: "data.field names it and data.reason says what is allowed.",
  },
  CURSOR_INVALID: {
    code: 1007,
    message: "The cursor was not made by this method.",
    hint: "Start again without a cursor.",
  },
  DISK_FULL: {
    code: 1008,
    message: "The disk is full: writing has paused.",
    hint: "Free some space; writing goes on by itself.",
  },
  ALREADY_RUNNING: {
    code: 1009,
    message: "Another daemon serves this data folder.",
    hint: "Use its socket, or stop it: knowd stop",
  },
  HOST_UNAVAILABLE: {
    code: 1010,
    message: "A helper process is not running.",
    hint: "It is restarted by itself; try again in a moment.",
  },
  CURSOR_EXPIRED: {
    code: 1011,
    message: "The list behind the cursor is no longer held.",
    hint: "Search again without a cursor.",
  },
  TOKEN_NOT_FOUND: { code: 1012, message: "There is no such token.", hint: "See knowd token list." },
  BASE_NOT_FOUND: { code: 1101, message: "There is no such base.", hint: "See knowd ls." },
  BASE_FAILED: {
    code: 1102,
    message: "The base is in a failed state and can't be searched.",
    hint: "data.reason says why; base.restore makes a working copy.",
  },
  BASE_NAME_TAKEN: { code: 1103, message: "A base of this name exists.", hint: "Choose another name." },
  BASE_NOT_EMPTY: {
    code: 1104,
    message: "The base has items, so its embedding model can't change in place.",
    hint: "Use base.enableEmbedding on a base without a model, or restore into a new base.",
  },
  BASE_UNAVAILABLE: {
    code: 1105,
    message: "The base's index can't be used right now.",
    hint: "It is rebuilt by itself; see knowd status.",
  },
  MODEL_NOT_FOUND: {
    code: 1106,
    message: "There is no such embedding model.",
    hint: "See embedding.models in the configuration; static-en-128 is always there.",
  },
  MODEL_UNAVAILABLE: {
    code: 1107,
    message: "The embedding model can't be used right now.",
    hint: "data.reason says why, and what to do.",
  },
  ITEM_NOT_FOUND: { code: 1201, message: "There is no such item.", hint: "See knowd ls." },
  ITEM_BUSY: { code: 1202, message: "The item is being worked on.", hint: "Try again when it is done." },
  ITEM_DELETING: { code: 1203, message: "The item is being deleted.", hint: "Add it again afterwards." },
  ITEM_NOT_READABLE: {
    code: 1204,
    message: "The item has no indexed text.",
    hint: "data.status and data.reason say why.",
  },
  ITEM_CONFLICT: {
    code: 1205,
    message: "An item for this source exists already.",
    hint: "Use another conflict strategy: rename, detect or replace.",
  },
  SOURCE_NOT_FOUND: { code: 1206, message: "There is no such source.", hint: "See knowd watch." },
  SOURCE_EXISTS: {
    code: 1207,
    message: "This folder is watched already.",
    hint: "data.sourceId names the source.",
  },
  SOURCE_UNAVAILABLE: {
    code: 1208,
    message: "The source can't be read right now; what was indexed still answers.",
    hint: "data.reason says why; it is watched again by itself when it returns.",
  },
  PATH_INVALID: { code: 1209, message: "The path is not allowed.", hint: "data.reason says why." },
  PATH_NOT_FOUND: { code: 1210, message: "There is nothing at this path.", hint: "Check the spelling." },
  URL_REFUSED: {
    code: 1211,
    message: "This URL can't be captured.",
    hint: "data.reason says why; pages of this machine or a private network need allowPrivate.",
  },
  URL_FAILED: {
    code: 1212,
    message: "The URL could not be fetched.",
    hint: "data.reason says why; try again later.",
  },
  QUERY_EMPTY: {
    code: 1301,
    message: "The query has nothing to search for.",
    hint: "Write at least one word, or a filter such as type:pdf.",
  },
  QUERY_TOO_LONG: {
    code: 1302,
    message: "The query is too long.",
    hint: "data.maxLength says how long it may be.",
  },
  PATTERN_INVALID: {
    code: 1303,
    message: "The pattern is not a valid regular expression.",
    hint: "data.reason says where; use literal: true for plain text.",
  },
  PASSAGE_NOT_FOUND: {
    code: 1304,
    message: "There is no such passage.",
    hint: "Its document may have changed since: search again.",
  },
  JOB_NOT_FOUND: { code: 1401, message: "There is no such job.", hint: "See knowd job list." },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorName = keyof typeof errorTable;

export const errorNames = Object.keys(errorTable) as ErrorName[];

const nameByCode = new Map(errorNames.map((name) => [errorTable[name].code as number, name]));

/** The table's name of an error code, or undefined for a code that is not ours. */
export function errorNameOf(code: number): ErrorName | undefined {
  return nameByCode.get(code);
}
