/** What is compared: the fingerprint that is stored with a base's vectors, and the model's own. Null where it is not known. */
export interface ModelIdentity {
  readonly baseName: string;
  readonly modelId: string;
  readonly stored: string | null;
  readonly current: string | null;
}

/** Null while a base's vectors can be compared with what the model gives; else a sentence: what is wrong, and what to do. */
export function modelChange({ baseName, modelId, stored, current }: ModelIdentity): string | null {
  if (stored === null || current === null || stored === current) return null;
  return (
    `the model ${modelId} is another one now (${current}) than the vectors of the base "${baseName}" are of (${stored}): ` +
    `give ${modelId} its old settings back, or embed the base anew: knowd reindex --base "${baseName}"`
  );
}
