import type { FieldsData } from "@kenjiuno/msgreader";

/** Fields that are read and are no text; `list` is of fields again. */
const kinds: Readonly<Record<string, "number" | "boolean" | "bytes" | "list">> = {
  compressedRtf: "bytes",
  html: "bytes",
  attachmentHidden: "boolean",
  innerMsgContent: "boolean",
  internetCodepage: "number",
  messageCodepage: "number",
  contentLength: "number",
  dataId: "number",
  folderId: "number",
  recipients: "list",
  attachments: "list",
};

/**
 * The file itself says of what type each of its properties is, and one that is damaged or hostile may give a number where a
 * text belongs: what is not of its usual type is left out. Mends the given object, which the library knows again.
 */
export function keepSoundFields(fields: FieldsData): FieldsData {
  for (const [name, value] of Object.entries(fields)) {
    if (kinds[name] === "list" && Array.isArray(value)) {
      for (const inner of value as FieldsData[]) keepSoundFields(inner);
    } else if (kindOf(value) !== (kinds[name] ?? "text")) Reflect.deleteProperty(fields, name);
  }
  return fields;
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return "text";
  return value instanceof Uint8Array ? "bytes" : typeof value;
}
