/** What a capture may do and what it came to. Plain data that structured clone can carry. */

/** Sent to one host alone. */
export interface HostRules {
  /** As in a URL, lower case; without a port. */
  readonly host: string;
  readonly userAgent: string | null;
  /** Cookies among them. They travel over https and to this machine itself; elsewhere only with `plainHttp`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly plainHttp: boolean;
}

export interface FetchRules {
  /** Loopback, private and link-local addresses, single-label, .local and .internal names may be fetched. */
  readonly allowPrivate: boolean;
  /** Allowed beside 80 and 443. */
  readonly ports: readonly number[];
  /** Of the answer, unpacked. */
  readonly maxBytes: number;
  /** For all of it, redirects included. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly hosts: readonly HostRules[];
  readonly proxy: { readonly url: string; readonly authorization: string | null } | null;
}

/** What an answer was, so that the next one may be "as before". They are sent to the address that gave them alone. */
export interface Validators {
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface CaptureInput {
  readonly url: string;
  /** Stands instead of the page's own. */
  readonly title: string | null;
  /** For the frontmatter, ISO 8601. */
  readonly timestamp: string;
  /** A new path: where the finished file goes. Nothing stands there unless the outcome is `captured`. */
  readonly into: string;
  /** Of the capture before: what is the same again is answered with `unchanged`. */
  readonly before: { readonly validators: Validators; readonly hash: string } | null;
  readonly rules: FetchRules;
}

/** page: Markdown with frontmatter. file: the bytes of a PDF, or a text as UTF-8. */
export type CaptureForm = "page" | "file";

export type CaptureOutcome =
  | {
      readonly kind: "captured";
      readonly form: CaptureForm;
      /** With the dot: .md, .pdf or .txt. */
      readonly extension: string;
      readonly title: string | null;
      /** What the file is named after; null: after its address. */
      readonly name: string | null;
      readonly validators: Validators;
      /** sha256 of the text or bytes without frontmatter. */
      readonly hash: string;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "unchanged"; readonly validators: Validators }
  /** The server says that there is nothing, or nothing any more. */
  | { readonly kind: "gone"; readonly reason: string }
  /** refused: by our rules, or nothing in it can be kept. failed: another try may do better. */
  | { readonly kind: "refused" | "failed"; readonly reason: string };
