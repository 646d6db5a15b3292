import type { Archive } from "../archive/zip.ts";
import { ReadProblem } from "../reader.ts";
import { elementsNamed, xmlText, xmlTree } from "../xml/tree.ts";
import { attribute } from "../xml/walk.ts";
import type { BookPaths } from "./paths.ts";

/** What keeps a book from being read by any program. */
export interface Protection {
  /** Entries that are encrypted; obscured fonts are none. */
  readonly encrypted: ReadonlySet<string>;
  /** It says that it was sold under DRM. */
  readonly licensed: boolean;
}

/** Ways to obscure fonts, which protect no text. */
const fontObfuscation: ReadonlySet<string> = new Set([
  "http://www.idpf.org/2008/embedding",
  "http://ns.adobe.com/pdf/enc#RC",
]);
/** Licences of the usual systems. */
const licences: readonly string[] = ["META-INF/rights.xml", "META-INF/license.lcpl", "META-INF/sinf.xml"];

export async function protectionOf(archive: Archive, paths: BookPaths): Promise<Protection> {
  const licensed = licences.some((name) => paths.resolve("", name) !== null);
  const name = paths.resolve("", "META-INF/encryption.xml");
  const xml = name === null ? null : await readable(archive, name);
  if (xml === null) return { encrypted: new Set(), licensed };
  const { root } = await xmlTree(xml);
  const encrypted = new Set<string>();
  for (const data of elementsNamed(root, "EncryptedData")) {
    const [method] = elementsNamed(data, "EncryptionMethod");
    if (fontObfuscation.has(attribute(method?.attributes ?? {}, "Algorithm") ?? "")) continue;
    for (const reference of elementsNamed(data, "CipherReference")) {
      const entry = paths.resolve("", attribute(reference.attributes, "URI") ?? xmlText(reference));
      if (entry !== null && entry !== "") encrypted.add(entry);
    }
  }
  return { encrypted, licensed };
}

async function readable(archive: Archive, name: string): Promise<string | null> {
  try {
    return await archive.text(name);
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
    // Then the chapters themselves tell whether they can be read.
    return null;
  }
}

export function drmProblem(): ReadProblem {
  return new ReadProblem(
    "needs_password",
    "The book is protected by DRM (digital rights management): only the reading program that it was bought for can open it.",
  );
}
