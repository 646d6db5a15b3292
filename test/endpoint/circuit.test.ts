import { describe, expect, it } from "vitest";
import { createCircuit } from "../../daemon/endpoint/circuit.ts";

function start() {
  const clock = { now: 1000 };
  return { clock, circuit: createCircuit(() => clock.now) };
}

describe("a circuit", () => {
  it("lets all in until one fails, then nobody for two seconds, then one at a time, until one has worked", () => {
    const { clock, circuit } = start();
    expect([circuit.refusal(), circuit.refusal()]).toEqual([null, null]);
    circuit.failed("nobody listens", null);
    expect(circuit.refusal()).toBe("nobody listens; it is asked again in 2 s");
    clock.now += 2000;
    expect(circuit.refusal()).toBeNull();
    expect(circuit.refusal()).toBe("nobody listens; it is being asked again");
    circuit.worked();
    expect([circuit.refusal(), circuit.refusal()]).toEqual([null, null]);
  });

  it("doubles its pause with each try that fails, up to a minute; failures of one burst count once", () => {
    const { clock, circuit } = start();
    const pauses: number[] = [];
    for (let round = 0; round < 7; round++) {
      circuit.failed("down", null);
      circuit.failed("down", null);
      const from = clock.now;
      while (circuit.refusal() !== null) clock.now += 1000;
      pauses.push((clock.now - from) / 1000);
    }
    expect(pauses).toEqual([2, 4, 8, 16, 32, 60, 60]);
  });

  it("keeps the longer pause that an endpoint asks for", () => {
    const { clock, circuit } = start();
    circuit.failed("busy", 30_000);
    clock.now += 29_000;
    expect(circuit.refusal()).toBe("busy; it is asked again in 1 s");
    clock.now += 1000;
    expect(circuit.refusal()).toBeNull();
  });

  it("gives the turn to the next when who tried went away", () => {
    const { clock, circuit } = start();
    circuit.failed("down", null);
    clock.now += 2000;
    expect(circuit.refusal()).toBeNull();
    circuit.left();
    expect(circuit.refusal()).toBeNull();
  });
});
