import { readFile } from "node:fs/promises";
import { readApiKey } from "../../config/api-key.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { FetchRules, HostRules } from "../../workers/fetch/contract.ts";

type SnapshotSettings = LoadedConfig["config"]["snapshot"];
type SnapshotHost = SnapshotSettings["hosts"][number];

/** A file of headers is small. */
const MAX_HEADERS = 32;
const headerLine = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):\s*([\t\x20-\x7e]*)$/;

/**
 * What the worker host needs to know of the settings. Secrets are read anew at each call, so that they can be changed while
 * the daemon runs. Throws an Error that says which file or variable is amiss, never what is in it.
 */
export async function fetchRules(
  settings: SnapshotSettings,
  env: Readonly<Record<string, string | undefined>>,
  allowPrivate: boolean,
): Promise<FetchRules> {
  const { ports, maxBytes, timeoutMs, userAgent, hosts } = settings;
  return {
    allowPrivate,
    ports,
    maxBytes,
    timeoutMs,
    userAgent,
    hosts: await Promise.all(hosts.map(hostRules)),
    proxy: await proxyOf(settings, env),
  };
}

async function hostRules({
  host,
  userAgent,
  cookie,
  headers,
  headersFile,
  plainHttp,
}: SnapshotHost): Promise<HostRules> {
  const lines = [
    ...headers,
    ...(cookie === undefined ? [] : [`Cookie: ${cookie}`]),
    ...(headersFile === undefined ? [] : await linesOf(headersFile)),
  ];
  const pairs = lines.map((line) => {
    const [, name, value] = headerLine.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new Error(`the headers of ${host} have a line that is not "Name: value"`);
    return [name, value.trim()] as const;
  });
  return { host, userAgent: userAgent ?? null, headers: pairs, plainHttp };
}

async function linesOf(file: string): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new Error(`the headers file can't be read: ${(error as Error).message}`, { cause: error });
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length > MAX_HEADERS)
    throw new Error(`the headers file ${file} has more than ${MAX_HEADERS} lines`);
  return lines;
}

async function proxyOf(
  { proxyUrl, proxyUser, proxyPasswordEnv, proxyPasswordFile }: SnapshotSettings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FetchRules["proxy"]> {
  if (proxyUrl === undefined) return null;
  if (proxyUser === undefined) return { url: proxyUrl, authorization: null };
  const password = await readApiKey({ apiKeyEnv: proxyPasswordEnv, apiKeyFile: proxyPasswordFile }, env);
  const login = Buffer.from(`${proxyUser}:${password ?? ""}`, "utf8").toString("base64");
  return { url: proxyUrl, authorization: `Basic ${login}` };
}
