/** Bytes at the start of a file in which it may say its encoding. */
const REACH = 4096;

/** What an XML prolog, an HTML meta element or an editor's mode line says; lower case. */
export function declaredEncoding(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, REACH)).toString("latin1");
  const found =
    /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/i.exec(head) ??
    /<meta[^>]*\scharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head) ??
    /<meta[^>]*\scontent\s*=\s*["'][^"'>]*charset=([\w.:-]+)/i.exec(head) ??
    /^.{0,200}(?:-\*-.*?\bcoding:\s*([\w.-]+).*?-\*-|\bcoding[:=]\s*([\w.-]+))/m.exec(head);
  const name = (found?.[1] ?? found?.[2])?.toLowerCase() ?? null;
  // These contradict what the bytes have shown by now.
  return name === null || /^utf-?(8|16|32)/.test(name) || name === "us-ascii" ? null : name;
}
