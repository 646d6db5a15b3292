import { statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readPipeToken, writePipeToken } from "../../config/pipe-token.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("the token of a named pipe", () => {
  it("is made anew at each start, and read back by those who may read the data folder", () => {
    const folder = temporaryFolder();
    expect(readPipeToken(folder, "win32")).toBeUndefined();
    const first = writePipeToken(folder, "win32");
    expect(readPipeToken(folder, "win32")).toBe(first);
    const second = writePipeToken(folder, "win32");
    expect(second).not.toBe(first);
    expect(readPipeToken(folder, "win32")).toBe(second);
    expect(statSync(path.join(folder, "socket.token")).mode & 0o077).toBe(0);
  });

  it("is not needed where the socket's folder decides who may connect", () => {
    const folder = temporaryFolder();
    expect(writePipeToken(folder, "linux")).toBeUndefined();
    expect(readPipeToken(folder, "linux")).toBeUndefined();
  });
});
