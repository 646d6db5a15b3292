/**
 * Whether what is written to a stream may be coloured: on a terminal that can, or where FORCE_COLOR asks for it (unless it
 * says 0); never where NO_COLOR is set to anything.
 */
export function wantsColor(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}
