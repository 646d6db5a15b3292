import { describe, expect, it } from "vitest";
import { knowd } from "../support/command.ts";
import { startDaemon } from "../support/daemon.ts";

describe("a daemon that is stopped in the middle of everything", () => {
  it("does not hold a command for ever: each says who does not answer and what to do; afterwards all is as before", async () => {
    const { home, client, process: daemon } = await startDaemon();
    await client.call("base.create", { name: "notes", embeddingModelId: null });
    const pid = daemon.pid ?? 0;
    daemon.kill("SIGSTOP");
    const verbs = [["status"], ["ls"], ["search", "x"], ["stop"], ["call", "base.list"], ["up", home]];
    // The environment of a test names no socket: the default one of this home is the daemon's.
    const ended = await Promise.all(verbs.map((args) => knowd(home, args)));
    for (const { code, stdout, stderr } of ended) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`the daemon (pid ${pid}) at`);
      expect(stderr).toContain(`kill -CONT ${pid}`);
    }
    daemon.kill("SIGCONT");
    expect(await knowd(home, ["ls"])).toMatchObject({ code: 0 });
    expect((await client.call("base.list", {})).items).toHaveLength(1);
  });
});
