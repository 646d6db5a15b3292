/** Language → its extensions. */
const extensions: Readonly<Record<string, string>> = {
  ada: "adb ads",
  apex: "cls trigger",
  assembly: "asm s",
  astro: "astro",
  awk: "awk",
  batch: "bat cmd",
  c: "c h",
  clojure: "clj cljs cljc edn",
  cmake: "cmake",
  cobol: "cob cbl",
  cpp: "cc cpp cxx c++ hh hpp hxx h++ inl ipp",
  csharp: "cs csx",
  css: "css scss sass less styl",
  cuda: "cu cuh",
  d: "d di",
  dart: "dart",
  diff: "diff patch",
  elixir: "ex exs",
  elm: "elm",
  erlang: "erl hrl",
  fish: "fish",
  fortran: "f f77 f90 f95 f03 for",
  fsharp: "fs fsi fsx",
  glsl: "glsl vert frag comp hlsl wgsl",
  go: "go",
  gradle: "gradle",
  graphql: "graphql gql",
  groovy: "groovy",
  haskell: "hs lhs",
  hcl: "hcl tf tfvars",
  ini: "ini cfg conf properties env editorconfig",
  java: "java",
  javascript: "js mjs cjs jsx",
  jinja: "j2 jinja jinja2",
  julia: "jl",
  kotlin: "kt kts",
  lisp: "lisp lsp el scm rkt cl",
  lua: "lua",
  makefile: "mk mak",
  matlab: "m",
  nim: "nim",
  nix: "nix",
  ocaml: "ml mli",
  pascal: "pas pp dpr",
  perl: "pl pm pod",
  php: "php phtml",
  powershell: "ps1 psm1 psd1",
  proto: "proto",
  python: "py pyi pyw pyx",
  r: "r",
  ruby: "rb rake gemspec erb",
  rust: "rs",
  scala: "scala sc sbt",
  shell: "sh bash zsh ksh",
  solidity: "sol",
  sql: "sql",
  svelte: "svelte",
  swift: "swift",
  systemd: "service socket timer mount target",
  tcl: "tcl",
  typescript: "ts mts cts tsx",
  vb: "vb vbs bas",
  verilog: "v sv svh",
  vhdl: "vhd vhdl",
  vim: "vim",
  vue: "vue",
  xml: "xsd xsl xslt plist xaml csproj pom",
  zig: "zig",
};

const names: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  containerfile: "dockerfile",
  makefile: "makefile",
  gnumakefile: "makefile",
  "cmakelists.txt": "cmake",
  jenkinsfile: "groovy",
  vagrantfile: "ruby",
  gemfile: "ruby",
  rakefile: "ruby",
  justfile: "makefile",
};

const interpreters: readonly (readonly [RegExp, string])[] = [
  [/\b(?:ba|z|k|da)?sh\b/, "shell"],
  [/\bpython[\d.]*\b/, "python"],
  [/\b(?:node|deno|bun)\b/, "javascript"],
  [/\bperl\b/, "perl"],
  [/\bruby\b/, "ruby"],
];

const byExtension: ReadonlyMap<string, string> = new Map(
  Object.entries(extensions).flatMap(([language, list]) =>
    list.split(" ").map((extension) => [extension, language]),
  ),
);

/** By name, extension or the interpreter that the first line names; null for what is no source code. */
export function languageOf(name: string, extension: string, text: string): string | null {
  const known =
    (Object.hasOwn(names, name.toLowerCase()) ? names[name.toLowerCase()] : null) ??
    byExtension.get(extension);
  if (known !== undefined && known !== null) return known;
  if (extension !== "" || !text.startsWith("#!")) return null;
  const line = text.slice(0, 200).split("\n", 1)[0] ?? "";
  return interpreters.find(([pattern]) => pattern.test(line))?.[1] ?? null;
}

/** All extensions that name a language, in alphabetical order. */
export const languageExtensions: readonly string[] = Object.values(extensions)
  .flatMap((list) => list.split(" "))
  .toSorted();
