export interface TinyPdf {
  /** One list of lines a page. */
  readonly pages: readonly (readonly string[])[];
  readonly title?: string;
  /** An encryption dictionary that no empty password opens. */
  readonly locked?: boolean;
}

/** A PDF with one built-in font, its text as drawing operators; enough for any reader of PDF. */
export function tinyPdf({ pages, title, locked = false }: TinyPdf): Buffer {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const firstPage = 4;
  const kids = pages.map((_, index) => `${firstPage + index * 2} 0 R`).join(" ");
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  for (const lines of pages) {
    const content = `BT /F1 12 Tf 14 TL 50 750 Td ${lines.map((line) => `(${escaped(line)}) Tj T*`).join(" ")} ET`;
    const resources = "/Resources << /Font << /F1 3 0 R >> >>";
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${objects.length + 2} 0 R >>`,
    );
    add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  const info = title === undefined ? "" : `/Info ${add(`<< /Title (${escaped(title)}) >>`)} 0 R`;
  const noPassword = "0".repeat(64);
  const lock = locked
    ? `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${noPassword}> /U <${noPassword}> >> /ID [<00> <00>]`
    : "";
  let text = "%PDF-1.4\n";
  const offsets = objects.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const offset of offsets) text += `${String(offset).padStart(10, "0")} 00000 n \n`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${info} ${lock} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

function escaped(text: string): string {
  return text.replaceAll(/[\\()]/g, String.raw`\$&`);
}
