import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "../../rpc/client.ts";
import { cliEntry, homeEnvironment } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";

it.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "P24 %s that a terminal sends to all of knowd start reaches the daemon once: it drains and ends with 0",
  async (signal) => {
    const home = temporaryFolder();
    mkdirSync(path.join(home, "run"), { mode: 0o700 });
    const child = spawn(process.execPath, [cliEntry, "start"], {
      env: homeEnvironment(home),
      // A group of its own, as a shell gives each command.
      detached: true,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
    const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
    const group = -(child.pid ?? Number.NaN);
    const client = await eventually(() => connect({ socketPath: path.join(home, "run/knowd/knowd.sock") }));
    const { pid } = await client.call("system.status", {});
    onTestFinished(() => {
      if (child.exitCode === null) process.kill(pid, "SIGKILL");
    });
    client.close();
    process.kill(group, signal);
    expect(await closed).toBe(0);
    expect(log).toContain('"msg":"stopped"');
  },
);
