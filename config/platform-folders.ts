import { posix, win32 } from "node:path";

/** What the process was given by the system. Read once, in environment.ts. */
export interface SystemEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  /** Null where the platform has none. */
  readonly uid: number | null;
  readonly cwd: string;
}

export interface PlatformFolders {
  /** The default data folder. */
  readonly data: string;
  /** Logs, and the socket where there is no runtime folder. */
  readonly state: string;
  readonly config: string;
  /** Emptied by the system at log-out; null where there is none. */
  readonly runtime: string | null;
}

/** knowd's own folders: XDG variables where they are set, else what is usual on the platform. */
export function platformFolders({ env, platform, homeDir }: SystemEnvironment): PlatformFolders {
  const usual =
    platform === "win32" ? windows(env, homeDir) : platform === "darwin" ? macos(homeDir) : linux(homeDir);
  const paths = pathsOf(platform);
  // The XDG specification says that a relative path is to be ignored.
  const xdg = (name: string): string | null => {
    const value = env[name];
    return value !== undefined && paths.isAbsolute(value) ? paths.join(value, "knowd") : null;
  };
  return {
    data: xdg("XDG_DATA_HOME") ?? usual.data,
    state: xdg("XDG_STATE_HOME") ?? usual.state,
    config: xdg("XDG_CONFIG_HOME") ?? usual.config,
    runtime: xdg("XDG_RUNTIME_DIR"),
  };
}

/** The path functions of a platform, which need not be this one. */
export function pathsOf(platform: NodeJS.Platform): typeof posix {
  return platform === "win32" ? win32 : posix;
}

function linux(homeDir: string): Omit<PlatformFolders, "runtime"> {
  return {
    data: posix.join(homeDir, ".local/share/knowd"),
    state: posix.join(homeDir, ".local/state/knowd"),
    config: posix.join(homeDir, ".config/knowd"),
  };
}

function macos(homeDir: string): Omit<PlatformFolders, "runtime"> {
  const support = posix.join(homeDir, "Library/Application Support/knowd");
  return {
    data: posix.join(support, "data"),
    state: posix.join(support, "state"),
    config: posix.join(homeDir, "Library/Preferences/knowd"),
  };
}

function windows(env: SystemEnvironment["env"], homeDir: string): Omit<PlatformFolders, "runtime"> {
  const local = env["LOCALAPPDATA"] ?? win32.join(homeDir, "AppData", "Local");
  const roaming = env["APPDATA"] ?? win32.join(homeDir, "AppData", "Roaming");
  return {
    data: win32.join(local, "knowd", "data"),
    state: win32.join(local, "knowd", "state"),
    config: win32.join(roaming, "knowd"),
  };
}
