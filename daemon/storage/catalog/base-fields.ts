import type { Base } from "../../../rpc/contract/bases.ts";
import { invalidField } from "../../runtime/errors.ts";
import type { BaseInput } from "./contract.ts";

/** What a base is beside its times. */
export type BaseFields = BaseInput & Pick<Base, "status" | "error">;

/** K3: in force when a delimiter base names none; an escape, decoded by the chunker. */
const DEFAULT_SEPARATOR = "\\n\\n";
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The fields as they are stored: the name trimmed and in NFC, the default separator in place. */
export function normalBase(fields: BaseFields): BaseFields {
  return {
    ...fields,
    name: fields.name.normalize("NFC").trim(),
    chunkSeparator:
      fields.chunkStrategy === "delimiter"
        ? (fields.chunkSeparator ?? DEFAULT_SEPARATOR)
        : fields.chunkSeparator,
  };
}

/** K3.1: throws INVALID_FIELD for what the database would refuse, so that the caller learns which field and why. */
export function checkBase(base: BaseFields): void {
  if (!UUID_V4.test(base.id)) throw invalidField("id", "a UUID of version 4");
  if (base.name === "") throw invalidField("name", "one character or more beside white space");
  checkModel(base);
  checkState(base);
  checkChunking(base);
  if (base.threshold !== null && !(base.threshold >= 0 && base.threshold <= 1))
    throw invalidField("threshold", "from 0 to 1, or null");
  if (base.documentCount !== null && !isPositiveInteger(base.documentCount))
    throw invalidField("documentCount", "a whole number over 0, or null");
}

function checkModel({ embeddingModelId, dimensions }: BaseFields): void {
  if (embeddingModelId === "") throw invalidField("embeddingModelId", "the id of a model, or null");
  if (dimensions !== null && !isPositiveInteger(dimensions))
    throw invalidField("dimensions", "a whole number over 0, or null");
  if ((embeddingModelId === null) !== (dimensions === null))
    throw invalidField("dimensions", "set exactly when embeddingModelId is");
}

function checkState({ status, error }: BaseFields): void {
  if (status === "completed" && error !== null) throw invalidField("error", "null on a completed base");
  if (status === "failed" && error === null) throw invalidField("error", "set on a failed base");
}

function checkChunking(base: BaseFields): void {
  if (!isPositiveInteger(base.chunkSize)) throw invalidField("chunkSize", "a whole number over 0");
  if (!Number.isInteger(base.chunkOverlap) || base.chunkOverlap < 0)
    throw invalidField("chunkOverlap", "a whole number, 0 or more");
  if (base.chunkOverlap >= base.chunkSize)
    throw invalidField("chunkOverlap", `under chunkSize, which is ${base.chunkSize}`);
  if (base.chunkSeparator === "") throw invalidField("chunkSeparator", "one character or more, or null");
}

function isPositiveInteger(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}
