import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { snapshotSection } from "../../config/snapshot-schema.ts";
import { fetchRules } from "../../daemon/ingest/fetch-rules.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("the rules that URLs are fetched by", () => {
  it("come from the settings, with 20 MiB, 30 s and no private address by default", async () => {
    const settings = snapshotSection.parse({});
    expect(settings.allowPrivate).toBe(false);
    expect(await fetchRules(settings, {}, false)).toEqual({
      allowPrivate: false,
      ports: [],
      maxBytes: 20 * 1024 * 1024,
      timeoutMs: 30_000,
      userAgent: "knowd (local snapshots)",
      hosts: [],
      proxy: null,
    });
  });

  it("give each host its own headers, cookies and those of its file", async () => {
    const headersFile = path.join(temporaryFolder(), "headers");
    writeFileSync(headersFile, "Authorization: Bearer zq\r\n\nX-More: 2\n");
    const host = { host: "wiki.example.org", cookie: "a=1; b=2", headers: ["X-Key: k"], headersFile };
    const { hosts } = await fetchRules(snapshotSection.parse({ hosts: [host] }), {}, false);
    expect(hosts).toEqual([
      {
        host: "wiki.example.org",
        userAgent: null,
        plainHttp: false,
        headers: [
          ["X-Key", "k"],
          ["Cookie", "a=1; b=2"],
          ["Authorization", "Bearer zq"],
          ["X-More", "2"],
        ],
      },
    ]);
  });

  it("say what is amiss with a file of headers, and never what is in it", async () => {
    const headersFile = path.join(temporaryFolder(), "headers");
    const settings = snapshotSection.parse({ hosts: [{ host: "a.example", headersFile }] });
    await expect(fetchRules(settings, {}, false)).rejects.toThrow("can't be read");
    writeFileSync(headersFile, "zqsecret\n");
    await expect(fetchRules(settings, {}, false)).rejects.toThrow(
      /^the headers of a\.example have a line that is not/,
    );
  });

  it("log in at the proxy with the password that a variable holds", async () => {
    const proxy = {
      proxyUrl: "http://proxy.example:3128",
      proxyUser: "me",
      proxyPasswordEnv: "PROXY_PASSWORD",
    };
    const settings = snapshotSection.parse(proxy);
    expect((await fetchRules(settings, { PROXY_PASSWORD: "secret" }, true)).proxy).toEqual({
      url: "http://proxy.example:3128",
      authorization: `Basic ${Buffer.from("me:secret").toString("base64")}`,
    });
    await expect(fetchRules(settings, {}, true)).rejects.toThrow("PROXY_PASSWORD is not set");
  });

  it.each([
    [{ hosts: [{ host: "Upper.example" }] }],
    [{ hosts: [{ host: "a.example", headers: ["Host: other"] }] }],
    [{ hosts: [{ host: "a.example", headers: ["X-A: 1\r\nX-B: 2"] }] }],
    [{ ports: [0] }],
    [{ proxyUrl: "http://me:secret@proxy.example" }],
    [{ maxBytes: 2 ** 40 }],
  ])("are refused when the settings are %j", (settings) => {
    expect(snapshotSection.safeParse(settings).success).toBe(false);
  });
});
