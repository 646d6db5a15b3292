import { describe, expect, it } from "vitest";
import { connect } from "../../rpc/client.ts";
import type { Token } from "../../rpc/contract/sessions.ts";
import { knowd } from "../support/command.ts";
import { shareDaemon } from "../support/daemon.ts";

const daemon = shareDaemon();

const run = (...args: string[]) => knowd(daemon().home, ["token", ...args]);

describe("knowd token", () => {
  it("makes a token whose secret alone goes to standard output, lists and revokes it", async () => {
    const { client } = daemon();
    const { base } = await client.call("base.create", { name: "notes", embeddingModelId: null });
    const made = await run("create", "--base", "notes", "--read", "--days", "2", "--name", "editor");
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^knowd_[\w-]{43}\n$/) as string });
    expect(made.stderr).toContain("shown once");
    const session = await connect(daemon());
    const opened = await session.call("session.open", { token: made.stdout.trim() });
    session.close();
    expect(opened).toEqual({ scope: "restricted", baseIds: [base.id], write: false, name: "editor" });
    const listed = await run("list");
    expect(listed.stdout).toMatch(/^editor {2}read {2}notes {2}until \d{4}-\d\d-\d\d {2}\S+\n$/);
    expect(await run("revoke", "editor")).toMatchObject({ code: 0, stdout: "Revoked editor.\n" });
    expect((await run("list")).stdout).toContain("No tokens");
    expect(await run("revoke", "editor")).toMatchObject({ code: 4 });
  });

  it("with --json prints what the daemon answers", async () => {
    const { stdout } = await run("create", "--all", "--write", "--json");
    const { token, secret } = JSON.parse(stdout) as { token: Token; secret: string };
    expect(token).toMatchObject({ name: "all bases", baseIds: null, write: true, expiresAt: null });
    expect(secret).toMatch(/^knowd_/);
    expect(JSON.parse((await run("list", "--json")).stdout)).toEqual({ items: [token] });
    expect(JSON.parse((await run("revoke", token.id, "--json")).stdout)).toEqual({});
  });

  it.each([
    [["create"], 2, "--base"],
    [["create", "--all", "--base", "x"], 2, "--base"],
    [["create", "--all", "--read", "--write"], 2, "--write"],
    [["create", "--base", "nowhere"], 4, "nowhere"],
    [["create", "--all", "--days", "soon"], 2, "whole number"],
    [["create", "--all", "--days", "0"], 2, "past"],
  ])("%j ends with exit code %d and says what to do", async (args, code, said) => {
    const result = await run(...args);
    expect(result).toMatchObject({ code, stdout: "" });
    expect(result.stderr).toContain(said);
  });
});
