import { describe, expect, it } from "vitest";
import { symbolsOf } from "../support/source.ts";

/** Language → name of a file, its source, its outline. */
const languages: readonly (readonly [string, string, string, readonly string[]])[] = [
  [
    "JavaScript",
    "a.js",
    `import x from "y";

/**
 * Says hello.
 */
export async function hello(name) {
  return name;
}
const table = {
  add: (a, b) => {
    return a + b;
  },
};
class Foo extends Bar {
  // What it counts.
  #count = 0;

  get size() {
    return this.#count;
  }
}
const late = async () => {
  await hello();
};
module.exports.later = function () {
  late();
};
describe("a thing", () => {
  it(\`does
it\`, function () {});
});
const one = (a) => a;
`,
    [
      "3-8 hello()",
      "9-13 table",
      "  10-12 add()",
      "14-21 class Foo",
      "  18-20 size()",
      "22-24 late()",
      "25-27 module.exports.later()",
      '28-31 describe("a thing")',
      "  29-30 it(`does it`)",
    ],
  ],
  [
    "TypeScript",
    "a.ts",
    `export interface Shape {
  readonly area: number;
}
type Pair =
  | [number, number]
  | null;
enum Color {
  Red,
}
@Injectable({
  providedIn: "root",
})
export abstract class Service<T> {
  @Input()
  public name(): string {
    return "";
  }
  private readonly run = (): void => {
    stop();
  };
}
namespace Inner {
  export function deep(): void {
    return;
  }
}
`,
    [
      "1-3 interface Shape",
      "4-6 type Pair",
      "7-9 enum Color",
      "10-21 class Service",
      "  14-17 name()",
      "  18-20 run()",
      "22-26 namespace Inner",
      "  23-25 deep()",
    ],
  ],
  [
    "TSX",
    "a.tsx",
    `export const Button = ({ label }: { label: string }) => (
  <button>{label}</button>
);
export function App() {
  return <Button label="x" />;
}
`,
    ["1-3 Button()", "4-6 App()"],
  ],
  [
    "Python",
    "a.py",
    `"""Doc."""
import os

LIMITS = {
    "a": 1,
}

# Opens it.
@cache
@retry(
    times=3,
)
async def open_all(paths):
    def one(path):
        return path
    return [one(p) for p in paths]


class Store(Base):
    """Keeps."""

    @property
    def size(self):
        return 0
`,
    ["4-6 LIMITS", "8-16 open_all()", "  14-15 one()", "19-24 class Store", "  22-24 size()"],
  ],
  [
    "PHP",
    "a.php",
    `<html>
<?php
namespace App;

/** Keeps. */
final class Store extends Base
{
    #[Pure]
    public function size(): int
    {
        return 0;
    }
}
trait Counts
{
    public int $n = 0;
}
function help(string $a)
{
    return $a;
}
?>
</html>
`,
    ["5-13 class Store", "  8-12 size()", "14-17 trait Counts", "18-21 help()"],
  ],
  [
    "Ruby",
    "a.rb",
    `module App
  # Keeps.
  class Store < Base
    def self.open(path)
      new(path)
    end

    def size
      0
    end
  end
end
describe "a thing" do
  it "works" do
    expect(1).to eq 1
  end
end
`,
    [
      "1-12 module App",
      "  2-11 class Store",
      "    4-6 open()",
      "    8-10 size()",
      '13-17 describe("a thing")',
      '  14-16 it("works")',
    ],
  ],
  [
    "Bash",
    "run.sh",
    `#!/bin/bash
set -e
# Builds it.
build() {
  make all
}
function deploy {
  scp a b
}
build && deploy
`,
    ["3-6 build()", "7-9 deploy()"],
  ],
];

describe("source code of scripting languages is taken apart at its functions and classes", () => {
  it.each(languages)(
    "%s: symbols with their comments and decorators, by nesting",
    async (_, name, source, symbols) => {
      expect(await symbolsOf(name, source)).toEqual(symbols);
    },
  );
});
