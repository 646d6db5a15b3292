import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";

const fixture = fileURLToPath(new URL("../support/fetch-fixture.mjs", import.meta.url));

/** A key, and a certificate for page.test that it signed itself; null where there is no openssl. */
function makeCertificate(): { key: string; certificate: string } | null {
  const folder = temporaryFolder();
  const key = path.join(folder, "key.pem");
  const certificate = path.join(folder, "certificate.pem");
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const subject = ["-subj", "/CN=page.test", "-addext", "subjectAltName=DNS:page.test"];
  try {
    const files = ["-keyout", key, "-out", certificate];
    execFileSync("openssl", ["req", "-x509", ...curve, ...files, ...subject], { stdio: "ignore" });
    return { key, certificate };
  } catch {
    return null;
  }
}

describe("fetching over https", () => {
  it("believes a server whose certificate is trusted and names it, and no other", async (test) => {
    const made = makeCertificate();
    if (made === null) return test.skip("there is no openssl to make a certificate with");
    const options = { key: readFileSync(made.key), cert: readFileSync(made.certificate) };
    const server = createServer(options, (request, response) => {
      const { servername } = request.socket as { servername?: string };
      response.writeHead(200, { "content-type": "text/plain" }).end(`for ${servername}`);
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const fetched = async (host: string, env: NodeJS.ProcessEnv): Promise<string> => {
      const args = [fixture, `https://${host}:${port}/`];
      return (await promisify(execFile)(process.execPath, args, { env })).stdout;
    };
    const trusting = { NODE_EXTRA_CA_CERTS: made.certificate };
    expect(await fetched("page.test", trusting)).toBe("for page.test");
    expect(await fetched("page.test", {})).toContain("self-signed certificate");
    expect(await fetched("other.test", trusting)).toContain("does not match certificate");
    return undefined;
  });
});
