import { statfsSync } from "node:fs";
import { toSystemPath } from "../path-bytes.ts";

/** File systems on which changes made elsewhere (or by the server behind it) give no event: statfs type → name. */
const REMOTE = new Map<bigint, string>([
  [0x6969n, "NFS"],
  [0xff534d42n, "CIFS"],
  [0xfe534d42n, "SMB"],
  [0x517bn, "SMB"],
  [0x65735546n, "FUSE"],
  [0x01021997n, "9p"],
  [0x5346414fn, "AFS"],
  [0x6b414653n, "AFS"],
  [0x00c36400n, "Ceph"],
  [0x73757245n, "Coda"],
  [0x0bd00bd0n, "Lustre"],
  [0x47504653n, "GPFS"],
  [0x01161970n, "GFS2"],
  [0x7461636fn, "OCFS2"],
  [0x786f4256n, "VirtualBox shared folder"],
  [0x7c7c6673n, "Parallels shared folder"],
  [0xbacbacbcn, "VMware shared folder"],
]);

/** The name of the remote or user-space file system that a folder is on; null for local ones and where it is not known. */
export function remoteMountKind(path: string): string | null {
  if (process.platform !== "linux") return null;
  try {
    const { type } = statfsSync(toSystemPath(path), { bigint: true });
    return REMOTE.get(BigInt.asUintN(32, type)) ?? null;
  } catch {
    // Gone or unreadable: the comparison says so itself.
    return null;
  }
}

export function remoteReason(kind: string): string {
  return `The folder is on a ${kind} mount, where changes made by others give no event, so it is scanned from time to time.`;
}
