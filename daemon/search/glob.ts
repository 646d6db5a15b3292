/**
 * One step of a pattern. one: a character. name: a run of any within a path segment. any: a run across segments.
 * folders: whole segments, each with its slash, or none.
 */
type Step =
  | { readonly kind: "one"; readonly fits: (character: string) => boolean }
  | { readonly kind: "name" | "any" | "folders" };

/** Alternatives that braces may expand to. */
const MAX_ALTERNATIVES = 64;

/**
 * A glob over `/`-separated paths: `*`, `?`, `[a-z]`, `[!a-z]`, `**`, `{a,b}`, `\` before a character that stands for
 * itself. Without a `/` it is matched against the last segment. Time is bounded by pattern × path: no glob can hang.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const patterns = expandBraces(glob).map((pattern) => ({
    steps: parse(pattern),
    whole: pattern.includes("/"),
  }));
  return (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return patterns.some(({ steps, whole }) => matches(steps, whole ? path : name));
  };
}

/** Whether a pattern is more than a piece of a path. */
export function hasGlobSyntax(pattern: string): boolean {
  return /[*?[\]{}]/.test(pattern);
}

function expandBraces(glob: string): string[] {
  const done: string[] = [];
  let open = [glob];
  while (open.length > 0 && done.length + open.length <= MAX_ALTERNATIVES) {
    const next: string[] = [];
    for (const pattern of open) {
      // The innermost braces first: what is around them is expanded in a later round.
      const brace = /(?<!\\)\{([^{}]*,[^{}]*)\}/.exec(pattern);
      if (!brace) done.push(pattern);
      else
        for (const choice of brace[1]!.split(","))
          next.push(replaceAt(pattern, brace.index, brace[0], choice));
    }
    open = next;
  }
  return [...done, ...open].slice(0, MAX_ALTERNATIVES);
}

function replaceAt(text: string, at: number, old: string, other: string): string {
  return text.slice(0, at) + other + text.slice(at + old.length);
}

function parse(pattern: string): Step[] {
  const steps: Step[] = [];
  const characters = Array.from(pattern);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    if (character === "*" && characters[at + 1] === "*") {
      const folders = (at === 0 || characters[at - 1] === "/") && characters[at + 2] === "/";
      at += folders ? 2 : 1;
      steps.push({ kind: folders ? "folders" : "any" });
    } else if (character === "*") steps.push({ kind: "name" });
    else if (character === "?") steps.push({ kind: "one", fits: (other) => other !== "/" });
    else if (character === "[") at = parseSet(characters, at, steps);
    else {
      const itself = character === "\\" && at + 1 < characters.length ? characters[++at]! : character;
      steps.push({ kind: "one", fits: (other) => other === itself });
    }
  }
  return steps;
}

/** Answers where the set ends. A bracket that is never closed stands for itself. */
function parseSet(characters: readonly string[], at: number, steps: Step[]): number {
  const negated = characters[at + 1] === "!" || characters[at + 1] === "^";
  const first = at + (negated ? 2 : 1);
  const end = characters.indexOf("]", first + 1);
  if (end < 0) {
    steps.push({ kind: "one", fits: (other) => other === "[" });
    return at;
  }
  const inside = characters.slice(first, end);
  const within = (other: string): boolean => {
    for (let index = 0; index < inside.length; index++) {
      const low = inside[index]!;
      if (inside[index + 1] === "-" && index + 2 < inside.length) {
        if (other >= low && other <= inside[index + 2]!) return true;
        index += 2;
      } else if (other === low) return true;
    }
    return false;
  };
  steps.push({ kind: "one", fits: (other) => other !== "/" && within(other) !== negated });
  return end;
}

/** Follows all ways through the pattern at once: `reached[n]` means that the first n steps fit what was read so far. */
function matches(steps: readonly Step[], path: string): boolean {
  let reached = enter(steps, [], 0);
  for (const character of path) {
    const next: boolean[] = [];
    steps.forEach((step, at) => {
      if (reached[at] === true) advance(steps, next, at, step, character);
    });
    if (next.length === 0) return false;
    reached = next;
  }
  return reached[steps.length] === true;
}

function advance(steps: readonly Step[], next: boolean[], at: number, step: Step, character: string): void {
  switch (step.kind) {
    case "one":
      if (step.fits(character)) enter(steps, next, at + 1);
      break;
    case "name":
      if (character !== "/") enter(steps, next, at);
      break;
    case "any":
      enter(steps, next, at);
      break;
    case "folders":
      next[at] = true;
      if (character === "/") enter(steps, next, at + 1);
      break;
  }
}

/** Marks a step as reached, and those behind it that may be empty. */
function enter(steps: readonly Step[], reached: boolean[], from: number): boolean[] {
  let at = from;
  reached[at] = true;
  while (at < steps.length && steps[at]!.kind !== "one") reached[++at] = true;
  return reached;
}
