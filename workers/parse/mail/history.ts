/** Lines between a reply and what it answers, as programs write them in their languages. */
const separator =
  /^\\?-{2,}\s?(?:original message|original appointment|ursprüngliche nachricht|originalnachricht|message d'origine|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|oprindelig meddelelse|ursprungligt meddelande|исходное сообщение|原始邮件|邮件原件|原始郵件|元のメッセージ|원본 메시지)\s?-{2,}$/i;
const from = /^\*{0,2}(?:from|von|de|da|van|från|fra|от|发件人|寄件者|差出人|보낸 사람)\*{0,2}\s?[:：]/i;
const sent =
  /^\*{0,2}(?:sent|date|gesendet|datum|envoyé|enviado|fecha|data|inviato|verzonden|skickat|sendt|отправлено|дата|发送时间|日期|送信日時|보낸 날짜)\*{0,2}\s?[:：]/i;
/** What follows such a line is what the message is about. */
const forwarded =
  /forwarded message|weitergeleitete nachricht|message transféré|mensaje reenviado|转发|転送/i;
/** Lines of such a head in which the sender is followed by the time. */
const HEAD_LINES = 4;
const MAX_LINE_LENGTH = 300;

/**
 * Marks what a reply repeats of the messages before it as a quote, where the program that wrote it only put a line in
 * between. Text that begins with such a line is forwarded, and its content.
 */
export function markHistory(text: string): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line, at) => beginsHistory(lines, line, at));
  if (first > 0 && lines.slice(Math.max(0, first - 2), first).some((line) => isForwarded(line))) return text;
  if (first <= 0 || lines.slice(0, first).every((line) => line.trim() === "")) return text;
  return lines.map((line, at) => (at < first ? line : line.trim() === "" ? ">" : `> ${line}`)).join("\n");
}

function beginsHistory(lines: readonly string[], line: string, at: number): boolean {
  if (line.length > MAX_LINE_LENGTH) return false;
  if (separator.test(line.trim())) return true;
  if (!from.test(line.trim())) return false;
  const next = lines.slice(at + 1, at + 1 + HEAD_LINES);
  return next.some((one) => one.length <= MAX_LINE_LENGTH && sent.test(one.trim()));
}

function isForwarded(line: string): boolean {
  return line.length <= MAX_LINE_LENGTH && forwarded.test(line);
}
