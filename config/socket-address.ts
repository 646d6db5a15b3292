/** The longest path that a socket address holds, less its closing NUL. Node cuts a longer one without a word. */
export function maxSocketPathBytes(platform: NodeJS.Platform): number {
  return platform === "linux" ? 107 : 103;
}

/** Whether the system can bind this path. Pipes on Windows have no such bound. */
export function fitsSocketAddress(path: string, platform: NodeJS.Platform): boolean {
  return platform === "win32" || Buffer.byteLength(path) <= maxSocketPathBytes(platform);
}
