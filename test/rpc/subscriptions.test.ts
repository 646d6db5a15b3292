import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import type { AllServices } from "../../daemon/services.ts";
import { createSessions } from "../../daemon/services/sessions.ts";
import type { Change } from "../../rpc/contract/system.ts";
import { createMethods } from "../../rpc/methods.ts";
import { ownerScope } from "../../daemon/runtime/scope.ts";
import type { CallContext } from "../../rpc/handlers.ts";

it("a connection that subscribes again and again, or leaves, has one subscription at most and leaves nothing behind", async () => {
  const listeners = new Set<(changes: readonly Change[]) => void>();
  const methods = createMethods({
    services: {} as AllServices,
    sessions: createSessions({
      catalog: { tokens: { bySecretHash: () => undefined }, bases: { get: () => undefined } },
      now: Date.now,
    }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    lastSeq: () => 7,
  });
  const gone = new AbortController();
  const context: CallContext = {
    signal: gone.signal,
    progress: () => undefined,
    sendPart: null,
    connection: {
      id: 1,
      closed: gone.signal,
      notify: () => undefined,
      notifyEncoded: () => undefined,
      drained: () => Promise.resolve(),
    },
    scope: ownerScope,
  };
  const held = () => [listeners.size, getEventListeners(gone.signal, "abort").length];
  for (let n = 0; n < 20; n++) expect(await methods["events.subscribe"]({}, context)).toEqual({ seq: 7 });
  expect(held()).toEqual([1, 1]);
  await methods["events.unsubscribe"]({}, context);
  expect(held()).toEqual([0, 0]);
  await methods["events.subscribe"]({ entities: ["item"] }, context);
  gone.abort();
  expect(held()).toEqual([0, 0]);
});
