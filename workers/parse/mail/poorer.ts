/** A plain form with less than this share of the signs of the HTML form has lost something. */
const MIN_SHARE = 0.6;
/** More than this share of a plain form in addresses of pages makes it hard to read and to find. */
const MAX_ADDRESS_SHARE = 0.35;

/** Whether the plain form of a message says less than its HTML form, which is given as Markdown. */
export function isPoorer(plain: string, markdown: string): boolean {
  if (signs(markdown) === 0) return false;
  if (/<(?:html|body|table|div)[\s>]/i.test(plain)) return true;
  const whole = signs(plain);
  const words = signs(plain.replaceAll(/https?:\/\/\S+/g, ""));
  if (whole > 0 && (whole - words) / whole > MAX_ADDRESS_SHARE) return true;
  return words < signs(markdown.replaceAll(/https?:\/\/\S+/g, "")) * MIN_SHARE;
}

/** Letters and digits. */
function signs(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127 || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122))
      count++;
  }
  return count;
}
