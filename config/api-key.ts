import { readFile } from "node:fs/promises";

/** Where an endpoint's key is kept: in a variable, in a file, or nowhere (local endpoints need none). */
export interface ApiKeyPlace {
  readonly apiKeyEnv?: string | undefined;
  readonly apiKeyFile?: string | undefined;
}

/**
 * Reads the key anew at each call, so that a key in a file can be changed while the daemon runs. Null where none is set.
 * Throws an Error that says what is missing, never what was found.
 */
export async function readApiKey(
  place: ApiKeyPlace,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  if (place.apiKeyEnv !== undefined) {
    return usable(env[place.apiKeyEnv] ?? "", `the environment variable ${place.apiKeyEnv}`);
  }
  if (place.apiKeyFile === undefined) return null;
  let text: string;
  try {
    text = await readFile(place.apiKeyFile, "utf8");
  } catch (error) {
    throw new Error(`the key file can't be read: ${(error as Error).message}`, { cause: error });
  }
  return usable(text, `the key file ${place.apiKeyFile}`);
}

/** A key goes into an HTTP header: one line of visible ASCII. */
function usable(text: string, place: string): string {
  const key = text.trim();
  if (key === "") throw new Error(`${place} is not set or empty`);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Error(`${place} holds more than a key: one line without spaces is expected`);
  return key;
}
