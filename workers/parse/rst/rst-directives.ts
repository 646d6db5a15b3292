/** How the content of a directive is read. Names that are in no list: its argument and its content are text. */
export type DirectiveKind =
  | "code"
  | "silent"
  | "picture"
  | "table"
  | "include"
  | "pages"
  | "meta"
  | "math"
  | "label"
  | "object"
  | "text";

const kinds: Readonly<Record<Exclude<DirectiveKind, "text" | "object">, string>> = {
  code:
    "code-block code sourcecode parsed-literal prompt ipython ipython3 jupyter-execute jupyter-input command-output " +
    "console terminal productionlist graphviz digraph graph mermaid uml plantuml doctest testcode testoutput testsetup",
  silent:
    "contents index highlight default-role tabularcolumns currentmodule role sectnum section-numbering raw restructuredtext-test-directive " +
    "default-domain header footer target-notes date unicode",
  picture: "image figure thumbnail video youtube",
  table: "table list-table csv-table flat-table",
  include: "include literalinclude",
  pages: "toctree autosummary",
  meta: "meta title",
  math: "math",
  label:
    "note warning tip hint important caution danger error attention seealso todo deprecated versionadded versionchanged versionremoved",
};

const byName: ReadonlyMap<string, DirectiveKind> = new Map(
  Object.entries(kinds).flatMap(([kind, names]) =>
    names.split(" ").map((name) => [name, kind as DirectiveKind]),
  ),
);

/** Names of what a directive documents: its argument is a signature. */
const object =
  /^(?:(?:py|c|cpp|js|rst|std|ts|go|rb|php)(?::\w+)+|(?:auto|doxygen)\w+|function|method|classmethod|staticmethod|attribute|data|exception|decorator|class|module|option|cmdoption|program|envvar|confval|setting|describe|object|opcode|macro|type|var|struct|enum|describe)$/;

export function directiveKind(name: string): DirectiveKind {
  return byName.get(name.toLowerCase()) ?? (object.test(name) ? "object" : "text");
}

const labels: Readonly<Record<string, string>> = {
  seealso: "See also",
  versionadded: "New in version",
  versionchanged: "Changed in version",
  versionremoved: "Removed in version",
  deprecated: "Deprecated since version",
};

/** What a person reads in front of a labelled directive. */
export function directiveLabel(name: string, argument: string): string {
  const key = name.toLowerCase();
  const words = labels[key] ?? `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
  const versioned = words.includes("version");
  if (argument === "") return `${words}:`;
  return versioned ? `${words} ${argument}` : `${words}: ${argument}`;
}
