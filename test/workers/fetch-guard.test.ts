import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import type { FetchRules } from "../../workers/fetch/contract.ts";
import { checkUrl } from "../../workers/fetch/check-url.ts";
import { FetchProblem } from "../../workers/fetch/fetch-problem.ts";
import { fetchUrl } from "../../workers/fetch/fetch-url.ts";
import { isAllowed, reachOf } from "../../workers/fetch/address.ts";
import { openCanary, serveHttp } from "../support/canary.ts";

const rules: FetchRules = {
  allowPrivate: false,
  ports: [],
  maxBytes: 1024 * 1024,
  timeoutMs: 5000,
  userAgent: "test",
  hosts: [],
  proxy: null,
};

/** Hosts that are refused as they stand; PORT is the canary's. */
const hosts: readonly string[] = [
  // Loopback in the spellings that URL parsers take.
  "127.0.0.1",
  "127.0.0.1.",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0x7f.1",
  "017700000001",
  "0177.0.0.1",
  "0177.0.0.01",
  "00000177.1",
  "127.0.0.0x1",
  "%31%32%37.0.0.1",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "127．0．0．1",
  "127｡0｡0｡1",
  "0",
  "0.0.0.0",
  "0x0",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[::]",
  // IPv4 inside IPv6.
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:127.0.0.1]",
  "[::127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "[2001:0:7f00:1::]",
  // Private, local and reserved networks.
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "0xa9fea9fe",
  "100.64.0.1",
  "192.0.0.1",
  "192.0.2.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "[fe80::1]",
  "[fc00::1]",
  "[fd12:3456:789a::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[2001:db8::1]",
  // Names of this machine and of local networks.
  "localhost",
  "localhost.",
  "LOCALHOST",
  "ｌｏｃａｌｈｏｓｔ",
  "app.localhost",
  "printer.local",
  "printer.local.",
  "metadata.google.internal",
  "wiki",
  "user@127.0.0.1",
  "example.org@127.0.0.1",
  "user:secret@example.org",
];

/** What a resolver may answer that leads inside. */
const answers: Readonly<Record<string, readonly LookupAddress[]>> = {
  "loopback.example.org": [{ address: "127.0.0.1", family: 4 }],
  "six.example.org": [{ address: "::1", family: 6 }],
  "mapped.example.org": [{ address: "::ffff:127.0.0.1", family: 6 }],
  "mapped-hex.example.org": [{ address: "::ffff:7f00:1", family: 6 }],
  "nat64.example.org": [{ address: "64:ff9b::7f00:1", family: 6 }],
  "private.example.org": [{ address: "10.1.2.3", family: 4 }],
  "metadata.example.org": [{ address: "169.254.169.254", family: 4 }],
  "zero.example.org": [{ address: "0.0.0.0", family: 4 }],
  "zone.example.org": [{ address: "fe80::1%lo", family: 6 }],
  "mixed.example.org": [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
    { address: "10.0.0.1", family: 4 },
  ],
  "none.example.org": [],
  "odd.example.org": [{ address: "not an address", family: 4 }],
};

const resolve = (host: string): Promise<readonly LookupAddress[]> => {
  const found = answers[host];
  return found
    ? Promise.resolve(found)
    : Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
};

/** What kind of problem it ends with. */
async function refusalOf(...asked: Parameters<typeof fetchUrl>): Promise<string> {
  return await fetchUrl(...asked).then(
    () => "fetched",
    (error: unknown) => (error instanceof FetchProblem ? error.kind : String(error)),
  );
}

describe("the guard of fetching", () => {
  it("P21 no spelling of an inner host is connected to, directly or by a redirect", async () => {
    const canary = await openCanary();
    const own = { ...rules, ports: [canary.port] };
    for (const host of hosts) {
      const url = `http://${host}:${canary.port}/`;
      expect([host, await refusalOf({ url, rules: own, validators: null }, resolve)]).toEqual([
        host,
        "refused",
      ]);
      // Where a redirect of a public page leads is checked so.
      const redirected = () => checkUrl(`//${host}:${canary.port}/`, own, new URL("http://example.org/a"));
      expect(redirected).toThrow(FetchProblem);
    }
    expect(hosts.length).toBeGreaterThanOrEqual(60);
    expect(canary.seen()).toBe(0);
  });

  it("P21 no answer of a resolver that leads inside is connected to", async () => {
    const canary = await openCanary();
    for (const host of Object.keys(answers)) {
      const url = `http://${host}:${canary.port}/`;
      const request = { url, rules: { ...rules, ports: [canary.port] }, validators: null };
      expect([host, await refusalOf(request, resolve)]).toEqual([
        host,
        expect.stringMatching(/^(?:refused|failed)$/),
      ]);
    }
    expect(canary.seen()).toBe(0);
  });

  it("P21 a redirect to an inner host is not followed, whatever stands before it", async () => {
    const canary = await openCanary();
    let at = "";
    const server = await serveHttp((_request, response) => response.writeHead(307, { location: at }).end());
    // The first hop alone is allowed to be local: it stands for a public server.
    const own = { ...rules, allowPrivate: true, ports: [server, canary.port] };
    for (const target of [
      `http://[64:ff9b::7f00:1]:${canary.port}/`,
      `http://0.0.0.0:${canary.port}/`,
      `//0:${canary.port}/`,
      `http://[::]:${canary.port}/`,
      `http://user:pw@127.0.0.1:${canary.port}/`,
      `http://127.0.0.1:22/`,
      `ftp://127.0.0.1:${canary.port}/`,
      `file:///etc/passwd`,
      `gopher://127.0.0.1:${canary.port}/_x`,
      `data:text/html,hello`,
      `http://loop.example.org:${canary.port}/`,
    ]) {
      at = target;
      const request = { url: `http://127.0.0.1:${server}/`, rules: own, validators: null };
      const inner = (host: string): Promise<readonly LookupAddress[]> =>
        Promise.resolve(host === "loop.example.org" ? [{ address: "64:ff9b::7f00:1", family: 6 }] : []);
      expect([target, await refusalOf(request, inner)]).toEqual([target, "refused"]);
    }
    expect(canary.seen()).toBe(0);
  });

  it("P21 a name that leads inside at the second look is not connected to then", async () => {
    const canary = await openCanary();
    let looks = 0;
    const rebinding = (): Promise<readonly LookupAddress[]> => {
      looks++;
      const address = looks === 1 ? "192.0.2.1" : "127.0.0.1";
      return Promise.resolve([{ address, family: 4 }]);
    };
    const url = `http://rebind.example.org:${canary.port}/`;
    for (let tries = 0; tries < 3; tries++) {
      const request = { url, rules: { ...rules, ports: [canary.port] }, validators: null };
      await expect(fetchUrl(request, rebinding)).rejects.toMatchObject({ kind: "refused" });
    }
    expect(looks).toBe(3);
    expect(canary.seen()).toBe(0);
  });

  it("of a name's answers only those that may be connected to are", async () => {
    const canary = await openCanary();
    const port = await serveHttp((_request, response) =>
      response.writeHead(200, { "content-type": "text/plain" }).end("hello"),
    );
    const mixed = (): Promise<readonly LookupAddress[]> =>
      Promise.resolve([
        { address: "64:ff9b::7f00:1", family: 6 },
        { address: "0.0.0.0", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ]);
    const own = { ...rules, allowPrivate: true, ports: [port] };
    const fetched = await fetchUrl(
      { url: `http://mixed.test:${port}/`, rules: own, validators: null },
      mixed,
    );
    expect(fetched).toMatchObject({ kind: "text", bytes: Buffer.from("hello") });
    expect(canary.seen()).toBe(0);
  });

  it.each([
    ["http://example.org:22/", "port 22"],
    ["http://example.org:8080/", "port 8080"],
    ["ftp://example.org/", "http and https"],
    ["javascript:alert(1)", "http and https"],
    ["example.org", "no URL"],
    ["", "no URL"],
    ["http://", "no URL"],
    ["http://exa\nmple.org/", "control characters"],
    [`http://example.org/${"a".repeat(5000)}`, "4096"],
    ["http://me@example.org/", "user name"],
  ])("refuses %j and says why", (text, reason) => {
    expect(() => checkUrl(text, rules)).toThrow(reason);
  });

  it.each([
    ["HTTP://Example.ORG:80/a/../b#part", "http://example.org/b"],
    ["https://example.org.:443/", "https://example.org/"],
    ["https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"],
    ["  https://example.org  ", "https://example.org/"],
  ])("makes %j canonical", (text, canonical) => {
    expect(checkUrl(text, rules).href).toBe(canonical);
  });

  it("public addresses are public, and what is allowed does not open what leads nowhere", () => {
    for (const address of ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
      expect([address, reachOf(address)]).toEqual([address, "public"]);
    for (const address of ["127.0.0.1", "10.0.0.1", "fe80::1%eth0", "::ffff:10.0.0.1", "169.254.1.1"])
      expect([address, isAllowed(address, false), isAllowed(address, true)]).toEqual([address, false, true]);
    for (const address of [
      "0.0.0.0",
      "224.0.0.1",
      "64:ff9b::808:808",
      "2002:808:808::",
      "ff02::1",
      "4000::1",
    ])
      expect([address, isAllowed(address, true)]).toEqual([address, false]);
  });
});
