import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | null = null;

/**
 * Gives back the memory that finished work has left behind: V8 collects when something is asked for, so that a process
 * which falls idle keeps what it last used for hours. Takes 10 to 50 ms, so call it when nothing is to be done.
 */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
