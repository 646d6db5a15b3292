import { connect, createServer, type Socket } from "node:net";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openConnection } from "../../rpc/wire/connection.ts";
import { createEncodedFrames } from "../../rpc/wire/encoded-frame.ts";
import { encodeFrame } from "../../rpc/wire/framing.ts";
import { temporaryFolder } from "../support/temporary.ts";

const encoded = (texts: readonly string[]) => ({
  utf8: texts.map((text) => Buffer.from(text).toString("latin1")),
});

describe("frames of what is encoded already", () => {
  it("are those of the text itself, in either framing, whatever was sent before", () => {
    const frames = createEncodedFrames();
    fc.assert(
      fc.property(fc.array(fc.json(), { minLength: 1 }), fc.boolean(), (texts, isSent) => {
        for (const framing of ["ndjson", "headers"] as const) {
          const frame = frames.frame(framing, encoded(texts), isSent);
          expect(frame.equals(encodeFrame(framing, texts.join("")))).toBe(true);
        }
      }),
    );
  });

  it("take the memory of the frame before only when that has gone out, and keep none of a very large one", () => {
    const frames = createEncodedFrames();
    const first = frames.frame("ndjson", encoded(["first"]), true);
    const second = frames.frame("ndjson", encoded(["other"]), false);
    expect(String(first)).toBe("first\n");
    expect(second.buffer).not.toBe(first.buffer);
    expect(frames.frame("ndjson", encoded(["third"]), true).buffer).toBe(first.buffer);
    const large = frames.frame("ndjson", encoded(["x".repeat(2_000_000)]), true);
    expect(large).toHaveLength(2_000_001);
    expect(frames.frame("ndjson", encoded(["y"]), true).buffer).toBe(first.buffer);
  });
});

describe("a connection", () => {
  it("is drained when its peer has read all, also where little waited", async () => {
    const address = path.join(temporaryFolder(), "s");
    const accepted = new Promise<Socket>((resolve) => {
      const server = createServer(resolve).listen(address);
      onTestFinished(() => void server.close());
    });
    const peer = connect(address).pause();
    onTestFinished(() => void peer.destroy());
    const socket = await accepted;
    onTestFinished(() => void socket.destroy());
    const connection = openConnection({
      socket,
      limits: { maxFrameBytes: 1000, maxDepth: 10, partialFrameMs: Infinity, maxUnreadBytes: 100_000 },
      onMessage: () => undefined,
      onFault: () => undefined,
      onEnd: () => undefined,
      onClose: () => undefined,
    });
    // As soon as the system takes no more, less than a buffer's worth waits.
    while (socket.writableLength === 0) connection.send("x".repeat(5000));
    let isDrained = false;
    const drained = connection.drained().then(() => (isDrained = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([isDrained, socket.writableNeedDrain]).toEqual([false, false]);
    peer.resume();
    await drained;
    expect(socket.writableLength).toBe(0);
  });
});
