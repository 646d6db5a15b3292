import { z } from "zod";
import { isToldOf, mayCall, type Scope } from "../daemon/runtime/scope.ts";
import type { AllServices, ConnectionMethod } from "../daemon/services.ts";
import type { Sessions } from "../daemon/services/sessions.ts";
import { methodTable, type MethodName, type Result } from "./contract/index.ts";
import type { Change } from "./contract/system.ts";
import type { CallContext, Handlers } from "./handlers.ts";
import type { Peer } from "./wire/endpoint.ts";

export interface MethodsDeps {
  readonly services: AllServices;
  readonly sessions: Sessions;
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
    "session.open": ({ token: secret }, { connection }: CallContext) => {
      const { token, scope } = deps.sessions.open(connection, secret);
      const { kind, baseIds, write } = scope;
      return { scope: kind, baseIds: baseIds && [...baseIds], write, name: token.name };
    },
    "system.methods": (_params, { scope }: CallContext) => ({ methods: describeMethods(scope) }),
    "events.subscribe": ({ entities }, { connection }: CallContext) => {
      unsubscribe(connection);
      const wanted = entities && new Set<string>(entities);
      const stop = deps.subscribe((changes) => {
        // Anew each time: a session may have been opened, or lost bases, since it subscribed.
        const scope = deps.sessions.scopeOf(connection);
        for (const change of changes) {
          if (isToldOf(change, scope) && (!wanted || wanted.has(change.entity)))
            connection.notify("events.change", change);
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

/** Those that may be called within the scope. */
function describeMethods(scope: Scope): Described {
  const offered = (Object.keys(methodTable) as MethodName[]).filter((name) =>
    mayCall(methodTable[name], scope),
  );
  return offered.map((name) => {
    const { doc, access, params, result, errors, example, tool } = methodTable[name];
    return {
      name,
      doc,
      access,
      tool: tool === true,
      params: z.toJSONSchema(params, { io: "input" }),
      result: z.toJSONSchema(result),
      errors: [...errors],
      example,
    };
  });
}
