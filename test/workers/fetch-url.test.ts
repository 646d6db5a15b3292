import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { connect } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { FetchRules, Validators } from "../../workers/fetch/contract.ts";
import { fetchUrl } from "../../workers/fetch/fetch-url.ts";
import { serveHttp } from "../support/canary.ts";

const MAX = 256 * 1024;

function rulesFor(port: number, more: Partial<FetchRules> = {}): FetchRules {
  return {
    allowPrivate: true,
    ports: [port],
    maxBytes: MAX,
    timeoutMs: 10_000,
    userAgent: "knowd-test",
    hosts: [],
    proxy: null,
    ...more,
  };
}

/** Fetches `path` from a server that answers so. */
async function fetchFrom(
  listener: RequestListener,
  more: Partial<FetchRules> = {},
  path = "/page",
  validators: (url: string) => Validators | null = () => null,
) {
  const port = await serveHttp(listener);
  const url = `http://127.0.0.1:${port}${path}`;
  return await fetchUrl({ url, rules: rulesFor(port, more), validators: validators(url) });
}

const html = { "content-type": "text/html" };

describe("fetching a URL", () => {
  it("follows five redirects and no sixth, relative ones too", async () => {
    const chain =
      (length: number): RequestListener =>
      (request, response) => {
        const at = Number(request.url?.slice(1));
        if (at < length) response.writeHead(302, { location: `./${at + 1}` }).end();
        else response.writeHead(200, html).end("there");
      };
    expect(await fetchFrom(chain(5), {}, "/0")).toMatchObject({ kind: "html", bytes: Buffer.from("there") });
    await expect(fetchFrom(chain(6), {}, "/0")).rejects.toThrow("more than 5 times");
    await expect(fetchFrom(chain(Number.POSITIVE_INFINITY), {}, "/0")).rejects.toThrow("more than 5 times");
  });

  it.each(["gzip", "br"])(
    "P21 a bomb packed as %s ends at the cap, counted as it unpacks",
    async (coding) => {
      const bomb = coding === "gzip" ? gzipSync(Buffer.alloc(64e6)) : brotliCompressSync(Buffer.alloc(64e6));
      expect(bomb.length).toBeLessThan(MAX);
      const answer = fetchFrom((_request, response) =>
        response.writeHead(200, { ...html, "content-encoding": coding }).end(bomb),
      );
      await expect(answer).rejects.toMatchObject({
        kind: "refused",
        message: expect.stringMatching(/262144 bytes/),
      });
    },
  );

  it("P21 an endless answer ends at the cap, a drip at the time limit", async () => {
    const endless = (_request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(200, html);
      const more = (): void =>
        void (response.destroyed || response.write("x".repeat(16_384), () => setImmediate(more)));
      more();
    };
    await expect(fetchFrom(endless)).rejects.toThrow("262144 bytes");
    const drip = (_request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(200, html);
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    };
    await expect(fetchFrom(drip, { timeoutMs: 300 })).rejects.toMatchObject({ kind: "failed" });
    await expect(fetchFrom(() => undefined, { timeoutMs: 300 })).rejects.toThrow("was not there after");
  });

  it("a declared length beyond the cap is refused before a byte of it is read", async () => {
    const large = fetchFrom((_request, response) =>
      response.writeHead(200, { ...html, "content-length": String(MAX + 1) }).write("x"),
    );
    await expect(large).rejects.toThrow("262144 bytes");
  });

  it("unpacks what is packed, and says what is damaged or packed in an unknown way", async () => {
    const packed =
      (coding: string, bytes: Buffer): RequestListener =>
      (_request, response) =>
        response.writeHead(200, { ...html, "content-encoding": coding }).end(bytes);
    for (const [coding, bytes] of [
      ["gzip", gzipSync("hello")],
      ["br", brotliCompressSync("hello")],
      ["gzip, br", brotliCompressSync(gzipSync("hello"))],
      ["identity", Buffer.from("hello")],
    ] as const)
      expect(await fetchFrom(packed(coding, bytes))).toMatchObject({ bytes: Buffer.from("hello") });
    await expect(fetchFrom(packed("gzip", gzipSync("hello").subarray(0, 12)))).rejects.toMatchObject({
      kind: "failed",
    });
    await expect(fetchFrom(packed("gzip", Buffer.from("plain")))).rejects.toMatchObject({ kind: "failed" });
    await expect(fetchFrom(packed("zip9", Buffer.from("x")))).rejects.toThrow("zip9");
    await expect(fetchFrom(packed("gzip, gzip, gzip", Buffer.from("x")))).rejects.toThrow("3 times");
  });

  it.each([
    ["text/html; charset=utf-8", "/page", "html"],
    ["application/xhtml+xml", "/page", "html"],
    ["application/pdf", "/page", "pdf"],
    ["text/plain", "/page", "text"],
    ["text/plain", "/README.md", "markdown"],
    ["text/markdown", "/page", "markdown"],
    ["application/octet-stream", "/page", "text"],
  ])("takes %s at %s as %s", async (type, path, kind) => {
    const answer = (_request: IncomingMessage, response: ServerResponse): unknown =>
      response.writeHead(200, { "content-type": type }).end("words");
    expect(await fetchFrom(answer, {}, path)).toMatchObject({ kind });
  });

  it.each(["image/png", "application/json", "video/mp4", "application/zip"])(
    "refuses %s by its name",
    async (type) => {
      const answer = fetchFrom((_request, response) =>
        response.writeHead(200, { "content-type": type }).end("x"),
      );
      await expect(answer).rejects.toMatchObject({ kind: "refused", message: expect.stringContaining(type) });
    },
  );

  it.each([
    [404, "gone"],
    [410, "gone"],
    [403, "failed"],
    [500, "failed"],
    [204, "failed"],
    [304, "failed"],
  ])("says what a status of %i means", async (status, kind) => {
    const answer = fetchFrom((_request, response) => response.writeHead(status).end());
    await expect(answer).rejects.toMatchObject({ kind, message: expect.stringContaining(String(status)) });
  });

  it("a host's headers, cookies and user agent go to that host alone, on redirects too", async () => {
    const seen: Record<string, IncomingMessage["headers"]> = {};
    const note = (request: IncomingMessage): void =>
      void (seen[`${request.headers.host?.split(":")[0]}${request.url}`] = request.headers);
    const other = await serveHttp((request, response) => {
      note(request);
      response.writeHead(200, html).end("there");
    });
    const port = await serveHttp((request, response) => {
      note(request);
      const target = request.url === "/a" ? "/b" : `http://other.test:${other}/c`;
      response.writeHead(302, { location: target }).end();
    });
    const headers = [
      ["X-Api-Key", "secret"],
      ["Cookie", "session=1"],
    ] as const;
    const rules = rulesFor(port, {
      ports: [port, other],
      hosts: [{ host: "127.0.0.1", userAgent: "for-one", headers, plainHttp: false }],
    });
    const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    await fetchUrl({ url: `http://127.0.0.1:${port}/a`, rules, validators: null }, resolve);
    for (const at of ["127.0.0.1/a", "127.0.0.1/b"])
      expect(seen[at]).toMatchObject({ "x-api-key": "secret", cookie: "session=1", "user-agent": "for-one" });
    expect(seen["other.test/c"]).toMatchObject({ "user-agent": "knowd-test" });
    expect(seen["other.test/c"]).not.toHaveProperty("x-api-key");
    expect(seen["other.test/c"]).not.toHaveProperty("cookie");
  });

  it("a host's headers do not travel unencrypted, unless that is asked for", async () => {
    const seen: (string | undefined)[] = [];
    const port = await serveHttp((request, response) => {
      seen.push(request.headers.cookie);
      response.writeHead(200, html).end("x");
    });
    const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    for (const plainHttp of [false, true]) {
      const host = { host: "wiki.test", userAgent: null, headers: [["cookie", "a=b"]] as const, plainHttp };
      const request = {
        url: `http://wiki.test:${port}/`,
        rules: rulesFor(port, { hosts: [host] }),
        validators: null,
      };
      await fetchUrl(request, resolve);
    }
    expect(seen).toEqual([undefined, "a=b"]);
  });

  it("K6.3 sends what it knows of the answer before, to the address that gave it alone", async () => {
    const answer: RequestListener = (request, response) => {
      const same = request.headers["if-none-match"] === '"v1"';
      response.writeHead(same ? 304 : 200, {
        ...html,
        etag: '"v1"',
        "last-modified": "Mon, 01 Jun 2026 10:00:00 GMT",
      });
      response.end(same ? undefined : "words");
    };
    const known = (url: string): Validators => ({ url, etag: '"v1"', lastModified: null });
    expect(await fetchFrom(answer)).toMatchObject({
      validators: { etag: '"v1"', lastModified: "Mon, 01 Jun 2026 10:00:00 GMT" },
    });
    expect(await fetchFrom(answer, {}, "/page", known)).toMatchObject({ kind: "unchanged" });
    expect(await fetchFrom(answer, {}, "/page", (url) => known(`${url}?other`))).toMatchObject({
      kind: "html",
    });
  });

  it("goes through a proxy with user and password where one is configured", async () => {
    const asked: unknown[] = [];
    const port = await serveHttp((_request, response) => response.writeHead(200, html).end("behind"));
    const { createServer } = await import("node:http");
    const proxy = createServer((request, response) => {
      asked.push([request.url, request.headers["proxy-authorization"]]);
      response.writeHead(200, html).end("forwarded");
    });
    proxy.on("connect", (request, socket) => {
      asked.push([request.url, request.headers["proxy-authorization"]]);
      const inner = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      inner.pipe(socket).pipe(inner);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port: proxyPort } = proxy.address() as { port: number };
    const authorization = `Basic ${Buffer.from("me:secret").toString("base64")}`;
    const rules = rulesFor(port, { proxy: { url: `http://127.0.0.1:${proxyPort}`, authorization } });
    const unknown = () => Promise.reject(new Error("ENOTFOUND"));
    const fetched = await fetchUrl({ url: `http://page.test:${port}/x`, rules, validators: null }, unknown);
    expect(fetched).toMatchObject({ bytes: Buffer.from("forwarded") });
    expect(asked).toEqual([[`http://page.test:${port}/x`, authorization]]);
    const inside = () => Promise.resolve([{ address: "10.0.0.1", family: 4 }]);
    const guarded = {
      url: `http://page.test:${port}/x`,
      rules: { ...rules, allowPrivate: false },
      validators: null,
    };
    await expect(
      fetchUrl({ ...guarded, url: `http://page.example:${port}/x` }, inside),
    ).rejects.toMatchObject({ kind: "refused" });
    proxy.closeAllConnections();
    proxy.close();
  });

  it("ends when it is cancelled", async () => {
    const port = await serveHttp(() => undefined);
    const cancel = new AbortController();
    const request = {
      url: `http://127.0.0.1:${port}/`,
      rules: rulesFor(port),
      validators: null,
      signal: cancel.signal,
    };
    const answer = fetchUrl(request);
    setTimeout(() => cancel.abort(new Error("enough")), 50);
    await expect(answer).rejects.toThrow("enough");
  });

  it("a server that is not there is a failure with a reason", async () => {
    const request = { url: "http://127.0.0.1:9/", rules: rulesFor(9), validators: null };
    await expect(fetchUrl(request)).rejects.toMatchObject({
      kind: "failed",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });
});
