import { expect, it } from "vitest";
import { createSessions, hashSecret } from "../../daemon/services/sessions.ts";
import { useCatalog } from "../support/catalog-fixture.ts";

const at = useCatalog();

it("K10.1 a connection keeps its scope when its client has left: what it asked for and is done late is not the owner's", () => {
  const sessions = createSessions({ catalog: at.catalog, now: () => at.clock.now });
  at.catalog.tokens.create({
    name: "t",
    secretHash: hashSecret("secret"),
    baseIds: [at.base.id],
    write: false,
    expiresAt: null,
  });
  const client = new AbortController();
  const connection = { id: 1, closed: client.signal };
  expect(sessions.scopeOf(connection).isOwner).toBe(true);
  sessions.open(connection, "secret");
  client.abort();
  expect(sessions.scopeOf(connection)).toMatchObject({
    kind: "restricted",
    isOwner: false,
    write: false,
    baseIds: [at.base.id],
  });
  expect(sessions.scopeOf({ id: 1, closed: client.signal }).isOwner).toBe(true);
});
