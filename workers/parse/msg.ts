import { type OleKind, oleKind } from "./ole/kind.ts";
import type { Reader } from "./reader.ts";

/** A message, an appointment or a contact that Outlook saved. */
export const msgReader: Reader = {
  id: "msg",
  version: 2,
  format: "outlook",
  name: "Outlook message",
  extensions: ["msg"],
  library: "@kenjiuno/msgreader 1.28",
  recognises: (probe) => probe.text === null && isOutlook(oleKind(probe.bytes), probe.extension),
  async read(input) {
    const { readMsg } = await import("./mail/msg/read-msg.ts");
    return readMsg(input);
  },
};

/** A damaged one may have lost the names that tell what it is. */
function isOutlook(kind: OleKind | null, extension: string): boolean {
  return kind === "outlook" || (kind === "other" && extension === "msg");
}
