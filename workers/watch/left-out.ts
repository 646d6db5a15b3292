/** Folders that hold no documents of the user's, whatever the rules say. */
const FOLDERS = new Set(["node_modules", ".git", ".hg", ".svn"]);

/**
 * Files that editors, office programs and browsers keep for a moment beside the real one: vim's swap files and its probe
 * 4913, Emacs' locks, backups of many, office locks, GIO's and rsync-like savers' drafts, unfinished downloads.
 */
const PASSING = [
  /~$/,
  /^\..*\.sw[a-z]$/,
  /\.sw[opx]$/,
  /^4913$/,
  /^\.#/,
  /^#.*#$/,
  /^~\$/,
  /^\.~lock\..*#$/,
  /^\.goutputstream-/,
  /\.(?:crdownload|part|partial)$/,
  /^\.DS_Store$/,
  /^(?:Thumbs\.db|desktop\.ini)$/i,
];

/** Whether a name alone leaves an entry out, before any ignore file is asked. */
export function isLeftOut(name: string, isDirectory: boolean, takeHidden: boolean): boolean {
  if (name.startsWith(".") && !takeHidden) return true;
  if (isDirectory) return FOLDERS.has(name);
  // A worktree's or submodule's .git is a file.
  return name === ".git" || PASSING.some((pattern) => pattern.test(name));
}
