/** What stands before and behind a symbol's own name in its heading. */
const FUNCTION = ["", "()"] as const;
const CLASS = ["class ", ""] as const;
const INTERFACE = ["interface ", ""] as const;
const ENUM = ["enum ", ""] as const;
const STRUCT = ["struct ", ""] as const;
const UNION = ["union ", ""] as const;
const TRAIT = ["trait ", ""] as const;
const TYPE = ["type ", ""] as const;
const RECORD = ["record ", ""] as const;
const MODULE = ["module ", ""] as const;
const NAMESPACE = ["namespace ", ""] as const;
const MACRO = ["macro ", ""] as const;
const NAME = ["", ""] as const;

export type SymbolForm = readonly [before: string, behind: string];

/** One language of the parser: which of its nodes are symbols. */
export interface Grammar {
  /** The name of its file in the package of grammars. */
  readonly file: string;
  /** Node type → how its heading is written. */
  readonly symbols: Readonly<Record<string, SymbolForm>>;
}

const javascript: Grammar["symbols"] = {
  function_declaration: FUNCTION,
  generator_function_declaration: FUNCTION,
  method_definition: FUNCTION,
  class_declaration: CLASS,
};

const typescript: Grammar["symbols"] = {
  ...javascript,
  abstract_class_declaration: CLASS,
  interface_declaration: INTERFACE,
  type_alias_declaration: TYPE,
  enum_declaration: ENUM,
  internal_module: NAMESPACE,
  module: MODULE,
  function_signature: FUNCTION,
};

const cpp: Grammar = {
  file: "cpp",
  symbols: {
    function_definition: FUNCTION,
    class_specifier: CLASS,
    struct_specifier: STRUCT,
    union_specifier: UNION,
    enum_specifier: ENUM,
    namespace_definition: NAMESPACE,
    type_definition: TYPE,
    concept_definition: ["concept ", ""],
    preproc_function_def: MACRO,
  },
};

/** Language as languages.ts names it → its grammar. C is read by the grammar of C++. */
const grammars: Readonly<Record<string, Grammar>> = {
  javascript: { file: "javascript", symbols: javascript },
  typescript: { file: "typescript", symbols: typescript },
  tsx: { file: "tsx", symbols: typescript },
  python: { file: "python", symbols: { function_definition: FUNCTION, class_definition: CLASS } },
  java: {
    file: "java",
    symbols: {
      class_declaration: CLASS,
      interface_declaration: INTERFACE,
      annotation_type_declaration: INTERFACE,
      enum_declaration: ENUM,
      record_declaration: RECORD,
      method_declaration: FUNCTION,
      constructor_declaration: FUNCTION,
      compact_constructor_declaration: FUNCTION,
    },
  },
  c: cpp,
  cpp,
  cuda: cpp,
  csharp: {
    file: "c-sharp",
    symbols: {
      namespace_declaration: NAMESPACE,
      class_declaration: CLASS,
      struct_declaration: STRUCT,
      record_declaration: RECORD,
      interface_declaration: INTERFACE,
      enum_declaration: ENUM,
      method_declaration: FUNCTION,
      constructor_declaration: FUNCTION,
      local_function_statement: FUNCTION,
      property_declaration: NAME,
    },
  },
  go: {
    file: "go",
    symbols: { function_declaration: FUNCTION, method_declaration: FUNCTION, type_spec: TYPE },
  },
  rust: {
    file: "rust",
    symbols: {
      function_item: FUNCTION,
      struct_item: STRUCT,
      union_item: UNION,
      enum_item: ENUM,
      trait_item: TRAIT,
      impl_item: ["impl ", ""],
      mod_item: ["mod ", ""],
      macro_definition: MACRO,
    },
  },
  php: {
    file: "php",
    symbols: {
      function_definition: FUNCTION,
      method_declaration: FUNCTION,
      class_declaration: CLASS,
      interface_declaration: INTERFACE,
      trait_declaration: TRAIT,
      enum_declaration: ENUM,
      namespace_definition: NAMESPACE,
    },
  },
  ruby: {
    file: "ruby",
    symbols: { method: FUNCTION, singleton_method: FUNCTION, class: CLASS, module: MODULE },
  },
  shell: { file: "bash", symbols: { function_definition: FUNCTION } },
};

/** Null for a language that is kept as plain lines. */
export function grammarOf(language: string | null, extension: string): Grammar | null {
  const name = language === "typescript" && extension === "tsx" ? "tsx" : language;
  return name !== null && Object.hasOwn(grammars, name) ? (grammars[name] ?? null) : null;
}
