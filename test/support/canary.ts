import { createServer, type AddressInfo, type Server } from "node:net";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { onTestFinished } from "vitest";

export interface Canary {
  readonly port: number;
  /** Connections so far. */
  seen(): number;
}

/** Listens on the loopback addresses of both families, and counts whoever connects. */
export async function openCanary(): Promise<Canary> {
  let connections = 0;
  const make = (): Server =>
    createServer((socket) => {
      connections++;
      socket.destroy();
    });
  const four = make();
  const port = await listen(four, "127.0.0.1", 0);
  const six = make();
  // A machine without IPv6 has one door less.
  await listen(six, "::1", port).catch(() => 0);
  return { port, seen: () => connections };
}

/** An HTTP server on 127.0.0.1 that ends with the test; answers its port. */
export async function serveHttp(listener: RequestListener): Promise<number> {
  const server = createHttpServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return await listen(server, "127.0.0.1", 0);
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  onTestFinished(() => void server.close());
  return await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}
