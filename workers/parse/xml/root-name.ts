/** Where the root element is looked for. */
const REACH = 64 * 1024;

export interface XmlRoot {
  /** Without prefix. */
  readonly name: string;
  /** From its name to the end of its tag. */
  readonly tag: string;
  readonly doctype: string;
}

/** The root element of an XML text, found without parsing it; null where there is none near its start. */
export function xmlRoot(text: string): XmlRoot | null {
  const head = text.slice(0, REACH);
  let doctype = "";
  for (let at = head.indexOf("<"); at !== -1;) {
    let end: number;
    if (head.startsWith("<?", at)) end = head.indexOf("?>", at);
    else if (head.startsWith("<!--", at)) end = head.indexOf("-->", at);
    else if (head.startsWith("<!", at)) {
      const subset = head.indexOf("[", at);
      const close = head.indexOf(">", at);
      end = subset !== -1 && subset < close ? head.indexOf("]", subset) : close;
      doctype = head.slice(at, end === -1 ? undefined : end);
    } else {
      const close = head.indexOf(">", at);
      const tag = head.slice(at + 1, close === -1 ? undefined : close);
      const name = /^(?:[\w.-]{1,100}:)?([A-Za-z_][\w.-]{0,100})/.exec(tag)?.[1];
      return name === undefined ? null : { name, tag, doctype };
    }
    if (end === -1) return null;
    at = head.indexOf("<", end + 1);
  }
  return null;
}
