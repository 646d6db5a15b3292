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

/** File systems that hold no files of anybody's: the kernel makes up what is read there. */
const VIRTUAL = new Set([
  0x9fa0n, // proc
  0x62656572n, // sysfs
  0x1cd1n, // devpts
  0x27e0ebn, // cgroup
  0x63677270n, // cgroup2
  0x64626720n, // debugfs
  0x74726163n, // tracefs
  0x73636673n, // securityfs
  0xcafe4a11n, // bpf
  0x6165676cn, // pstore
  0x62656570n, // configfs
  0xde5e81e4n, // efivarfs
  0x19800202n, // mqueue
  0x42494e4dn, // binfmt_misc
  0xf97cff8cn, // selinuxfs
  0x6e736673n, // nsfs
]);

/** The name of the remote or user-space file system that a folder is on; null for local ones and where it is not known. */
export function remoteMountKind(path: string): string | null {
  return REMOTE.get(typeAt(path) ?? 0n) ?? null;
}

/** Whether a folder is on a file system that the kernel makes up, such as /proc: endless, and no document in it. */
export function isVirtualMount(path: string): boolean {
  return VIRTUAL.has(typeAt(path) ?? 0n);
}

function typeAt(path: string): bigint | null {
  if (process.platform !== "linux") return null;
  try {
    return BigInt.asUintN(32, statfsSync(toSystemPath(path), { bigint: true }).type);
  } catch {
    // Gone or unreadable: the comparison says so itself.
    return null;
  }
}

export function remoteReason(kind: string): string {
  return `The folder is on a ${kind} mount, where changes made by others give no event, so it is scanned from time to time.`;
}
