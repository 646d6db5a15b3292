import type { WatchOutcome } from "./backend.ts";
import type { KnownFile } from "./contract.ts";
import type { RuleLevel } from "./ignore-rules.ts";
import { deviceOfKey, keyOfStamp, type StampKey } from "./stamp.ts";

export type DirectoryWatch = "none" | "live" | "refused";

/** A directory as it was when it was last compared, or as the ledger implies it. */
export interface Directory {
  /** Below the root; empty for the root itself. */
  readonly path: string;
  readonly name: string;
  readonly parent: Directory | null;
  readonly files: Map<string, StampKey>;
  readonly children: Map<string, Directory>;
  /** directoryIdentity when it was last seen; null when it was not seen yet, or must be watched anew. */
  identity: string | null;
  /** Device it was last seen on, or that its known files were on; null when neither is known. */
  device: string | null;
  watch: DirectoryWatch;
  /** A watch that was begun ahead of its comparison. */
  pending: Promise<WatchOutcome> | null;
  rules: RuleLevel | null;
}

/** What main has been told of a root: a file is in here until it was called gone or excluded. */
export interface Tree {
  readonly root: Directory;
  fileCount(): number;
  directoryCount(): number;
  find(path: string): Directory | undefined;
  /** Makes what is missing on the way. */
  ensure(path: string): Directory;
  child(parent: Directory, name: string): Directory;
  seed(files: readonly KnownFile[]): void;
  setFile(directory: Directory, name: string, stamp: StampKey): void;
  /** False when it was not known. */
  dropFile(directory: Directory, name: string): boolean;
  /** Takes a directory out, with all below; its files must be dropped already. */
  detach(directory: Directory): void;
  /** The directory and all below it, parents before children. */
  walk(from: Directory): Generator<Directory>;
}

export function createTree(): Tree {
  const root = emptyDirectory("", "", null);
  const byPath = new Map<string, Directory>([["", root]]);
  let files = 0;

  const child = (parent: Directory, name: string): Directory => {
    const known = parent.children.get(name);
    if (known) return known;
    const made = emptyDirectory(parent.path === "" ? name : `${parent.path}/${name}`, name, parent);
    parent.children.set(name, made);
    byPath.set(made.path, made);
    return made;
  };

  const ensure = (path: string): Directory => {
    const known = byPath.get(path);
    if (known) return known;
    let at = root;
    for (const name of path.split("/")) at = child(at, name);
    return at;
  };

  const setFile = (directory: Directory, name: string, stamp: StampKey): void => {
    if (!directory.files.has(name)) files++;
    directory.files.set(name, stamp);
  };

  return {
    root,
    fileCount: () => files,
    directoryCount: () => byPath.size,
    find: (path) => byPath.get(path),
    ensure,
    child,
    seed(known) {
      for (const { path, stamp } of known) {
        const { folder, name } = splitPath(path);
        const directory = ensure(folder);
        const key = keyOfStamp(stamp);
        setFile(directory, name, key);
        directory.device ??= deviceOfKey(key);
      }
    },
    setFile,
    dropFile(directory, name) {
      const known = directory.files.delete(name);
      if (known) files--;
      return known;
    },
    detach(directory) {
      for (const below of walkFrom(directory)) byPath.delete(below.path);
      directory.parent?.children.delete(directory.name);
    },
    walk: walkFrom,
  };
}

export function splitPath(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf("/");
  return { folder: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
}

function emptyDirectory(path: string, name: string, parent: Directory | null): Directory {
  return {
    path,
    name,
    parent,
    files: new Map(),
    children: new Map(),
    identity: null,
    device: null,
    watch: "none",
    pending: null,
    rules: null,
  };
}

function* walkFrom(from: Directory): Generator<Directory> {
  const waiting = [from];
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    yield at;
    for (const below of at.children.values()) waiting.push(below);
  }
}
