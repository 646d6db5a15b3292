import { z } from "zod";
import type { AllServices, ConnectionMethod } from "../daemon/services.ts";
import { methodTable, type MethodName, type Result } from "./contract/index.ts";
import type { Change } from "./contract/system.ts";
import type { CallContext, Handlers } from "./handlers.ts";
import type { Peer } from "./wire/endpoint.ts";

export interface MethodsDeps {
  readonly services: AllServices;
  /** Hears of each committed change; returns how to stop that. */
  readonly subscribe: (listener: (changes: readonly Change[]) => void) => () => void;
  readonly lastSeq: () => number;
}

/** The handlers of the whole table: services as they are, and what belongs to the connection. */
export function createMethods(deps: MethodsDeps): Handlers {
  return { ...deps.services, ...connectionMethods(deps) };
}

function connectionMethods(deps: MethodsDeps): Pick<Handlers, ConnectionMethod> {
  /** By connection: what ends its subscription. */
  const subscriptions = new Map<number, () => void>();
  const unsubscribe = (peer: Peer): void => subscriptions.get(peer.id)?.();
  return {
    "system.methods": () => ({ methods: describeMethods() }),
    "events.subscribe": ({ entities }, { connection }: CallContext) => {
      unsubscribe(connection);
      const wanted = entities && new Set<string>(entities);
      const stop = deps.subscribe((changes) => {
        for (const change of changes) {
          if (!wanted || wanted.has(change.entity)) connection.notify("events.change", change);
        }
      });
      const end = (): void => {
        stop();
        subscriptions.delete(connection.id);
        connection.closed.removeEventListener("abort", end);
      };
      subscriptions.set(connection.id, end);
      connection.closed.addEventListener("abort", end);
      return { seq: deps.lastSeq() };
    },
    "events.unsubscribe": (_params, { connection }: CallContext) => {
      unsubscribe(connection);
      return {};
    },
  };
}

type Described = Result<"system.methods">["methods"];

function describeMethods(): Described {
  return (Object.keys(methodTable) as MethodName[]).map((name) => {
    const { doc, access, params, result, errors, example } = methodTable[name];
    return {
      name,
      doc,
      access,
      params: z.toJSONSchema(params, { io: "input" }),
      result: z.toJSONSchema(result),
      errors: [...errors],
      example,
    };
  });
}
