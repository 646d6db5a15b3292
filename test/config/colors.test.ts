import { expect, it } from "vitest";
import { wantsColor } from "../../config/colors.ts";

const wanted = (isTTY: boolean, env: Record<string, string>): boolean => wantsColor({ isTTY }, env);

it.each([
  [true, {}, true],
  [true, { TERM: "xterm" }, true],
  [true, { TERM: "dumb" }, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "0" }, false],
  [true, { NO_COLOR: "" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [false, {}, false],
  [false, { CI: "true" }, false],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "" }, true],
  [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("on a terminal: %s, with %j, colours: %s", (isTTY, env, expected) => {
  expect(wanted(isTTY, env)).toBe(expected);
});
