import type { FieldsData } from "@kenjiuno/msgreader";
import { ReadProblem } from "../../reader.ts";
import { codePageName } from "./code-page.ts";
import { keepSoundFields } from "./sound-fields.ts";

export interface OpenMessage {
  readonly fields: FieldsData;
  /** Grows while attachments are read. */
  readonly warnings: readonly string[];
  /** The bytes of an attachment; null, with a warning, when they can't be read. */
  attachment(attachment: FieldsData, name: string): Uint8Array | null;
}

/** A tag's last two bytes say its type: text in the code page of who wrote it. */
const ANSI_TEXT = 0x001e;

type Library = (typeof import("@kenjiuno/msgreader"))["default"];

/** A module of the older kind: its own default stands in what is imported as such, or is it, by what loads it. */
async function loadLibrary(): Promise<Library> {
  const { default: loaded } = await import("@kenjiuno/msgreader");
  return typeof loaded === "function" ? loaded : loaded.default;
}

/** @throws ReadProblem corrupt. Expects a container whose chains were checked. */
export async function openMessage(bytes: Uint8Array): Promise<OpenMessage> {
  const Library = await loadLibrary();
  const open = (encoding: string): { reader: InstanceType<Library>; fields: FieldsData; ansi: boolean } => {
    const reader = new Library(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    let ansi = false;
    reader.parserConfig = {
      ansiEncoding: encoding,
      propertyObserver: (_, tag) => {
        ansi ||= (tag & 0xffff) === ANSI_TEXT;
      },
    };
    try {
      return { reader, fields: keepSoundFields(reader.getFileData()), ansi };
    } catch (error) {
      throw new ReadProblem("corrupt", `The message could not be opened: ${reasonOf(error)}.`);
    }
  };
  let opened = open("windows-1252");
  const page = opened.fields.messageCodepage ?? opened.fields.internetCodepage;
  const encoding = codePageName(page);
  // The code page is known only when all was read once.
  if (opened.ansi && !["", "us-ascii", "windows-1252", "utf-16le", "iso-2022-jp"].includes(encoding))
    opened = open(encoding);
  const { reader, fields } = opened;
  if (fields.error !== undefined)
    throw new ReadProblem("corrupt", `The message could not be opened: ${fields.error}.`);
  const warnings: string[] = [];
  return {
    fields,
    warnings,
    attachment(attachment, name) {
      try {
        return reader.getAttachment(attachment).content;
      } catch (error) {
        warnings.push(`${name} was left out: ${reasonOf(error)}.`);
        return null;
      }
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : String(error);
}
