/** Which model made the vectors of each base, so that vectors of two models are never mixed. */
export interface BaseModelStore {
  /** Of the model that the base's vectors are of; null while there is none, or it is not known. */
  fingerprint(baseId: string): string | null;
  /** The base's vectors are, or are going to be, of this model. Throws BASE_NOT_FOUND. */
  remember(baseId: string, fingerprint: string): void;
  /** Whether the model of the base's id was another one when it was looked at last: what came then was not embedded. */
  changed(baseId: string): boolean;
  setChanged(baseId: string, changed: boolean): void;
  /** The base has another model of the same id from now on; the caller has taken the old one's vectors away. */
  adopt(baseId: string, model: { readonly fingerprint: string; readonly dimensions: number }): void;
}
