import type { Token } from "../../../rpc/contract/sessions.ts";

export interface NewToken {
  readonly name: string;
  readonly secretHash: string;
  /** Null for all bases, also those that are made later. */
  readonly baseIds: readonly string[] | null;
  readonly write: boolean;
  readonly expiresAt: number | null;
}

/** What opens sessions. */
export interface TokenStore {
  create(input: NewToken): Token;
  get(id: string): Token | undefined;
  bySecretHash(hash: string): Token | undefined;
  /** Newest first. */
  list(page: { readonly limit: number; readonly cursor?: string | undefined }): {
    items: Token[];
    cursor?: string;
  };
  /** False when there is no such token. */
  remove(id: string): boolean;
  /** Takes bases out of it; what is not in it is passed over. */
  takeOut(id: string, baseIds: readonly string[]): void;
}
