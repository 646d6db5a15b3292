/** A page header or footer without its codes: `&L` left, `&"Arial,Bold"` a font, `&12` a size, `&P` the page's number. */
export function printedText(code: string): string {
  return code
    .replaceAll(/&"[^"]*"|&K[\da-f]{6}|&\d+|&[CLR]/gi, " ")
    .replaceAll(/&[PNDTFAZGBIUESXYHO+-]/gi, "")
    .replaceAll("&&", "&");
}
