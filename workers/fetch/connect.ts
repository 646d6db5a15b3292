import type { LookupAddress } from "node:dns";
import { connect as connectSocket, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { buildConnector } from "undici";
import { isAllowed } from "./address.ts";
import { refuseAddress } from "./check-url.ts";
import { FetchProblem } from "./fetch-problem.ts";

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Addresses of one name that are tried. */
const MAX_ADDRESSES = 8;

/**
 * The addresses of a name that may be connected to.
 * @throws FetchProblem refused where there are only others, failed where there are none.
 */
export async function allowedAddresses(
  host: string,
  resolve: Resolve,
  allowPrivate: boolean,
): Promise<LookupAddress[]> {
  const found = await answersOf(host, resolve);
  const allowed = found.filter(({ address }) => isAllowed(address, allowPrivate));
  const [first] = found;
  if (allowed.length === 0 && first !== undefined) refuseAddress(host, first.address);
  if (allowed.length === 0) throw new FetchProblem("failed", `${host} has no address`);
  return allowed.slice(0, MAX_ADDRESSES);
}

async function answersOf(host: string, resolve: Resolve): Promise<readonly LookupAddress[]> {
  try {
    return await resolve(host);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new FetchProblem("failed", `${host} could not be resolved (${code})`);
  }
}

/**
 * How undici connects: to checked addresses of the name alone, and the one that was really reached is checked once more
 * before a byte is sent, a TLS greeting included.
 */
export function guardedConnector(
  resolve: Resolve,
  allowPrivate: boolean,
  signal: AbortSignal,
): buildConnector.connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, "");
    const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80);
    void openSocket({ host, port, signal }, resolve, allowPrivate)
      .then((socket) => (options.protocol === "https:" ? secured(socket, host, options.servername) : socket))
      .then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
  };
}

async function openSocket(
  { host, port, signal }: { host: string; port: number; signal: AbortSignal },
  resolve: Resolve,
  allowPrivate: boolean,
): Promise<Socket> {
  if (isIP(host) !== 0 && !isAllowed(host, allowPrivate)) refuseAddress(host, host);
  const addresses = isIP(host) === 0 ? await allowedAddresses(host, resolve, allowPrivate) : null;
  // Only these are tried, whatever the name leads to by now.
  const lookup: LookupFunction = (_name, _options, found) => found(null, addresses ?? []);
  const socket = connectSocket({
    host,
    port,
    signal,
    autoSelectFamily: true,
    ...(addresses !== null && { lookup }),
  });
  await settled(socket, "connect");
  const { remoteAddress = "" } = socket;
  if (isAllowed(remoteAddress, allowPrivate)) return socket.setNoDelay(true);
  socket.destroy();
  return refuseAddress(host, remoteAddress);
}

async function secured(socket: Socket, host: string, servername: string | undefined): Promise<Socket> {
  const name = servername ?? (isIP(host) === 0 ? host : "");
  const tls = connectTls({ socket, servername: name, host, ALPNProtocols: ["http/1.1"] });
  await settled(tls, "secureConnect");
  return tls;
}

/** Resolves at the event; rejects when the socket ends before. */
async function settled(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const end = (error?: Error | boolean): void =>
      reject(error instanceof Error ? error : new Error("the connection was closed"));
    socket.once("error", end).once("close", end);
    socket.once(event, () => {
      socket.off("error", end).off("close", end);
      resolve();
    });
  });
}
