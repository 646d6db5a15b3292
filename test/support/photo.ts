/** Bytes of a type that knowd does not read, different for each text. */
export const photo = (text: string): Buffer =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), Buffer.from(text)]);

/** A script for sh: takes what stands behind a photo's head for its text, and counts its runs. */
export const readsPhoto = `echo run >> "$0.runs"; tail -c +17 "$1"`;
