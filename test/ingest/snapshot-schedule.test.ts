import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refreshTime } from "../../daemon/ingest/refresh-time.ts";
import { startSnapshotSchedule } from "../../daemon/ingest/snapshot-schedule.ts";
import { openLog } from "../../daemon/runtime/log.ts";
import { useCatalog } from "../support/catalog-fixture.ts";
import { eventually } from "../support/eventually.ts";

const HOUR = 3_600_000;
const log = openLog({ level: "silent" });

describe("when a snapshot is due again", () => {
  it("without a schedule it never is", () => {
    expect(refreshTime(1000, null, 3)).toBeNull();
  });

  it("is as often as was asked for, within a tenth, so that many do not come at once", () => {
    expect([0, 0.5, 1].map((random) => refreshTime(0, HOUR, 0, () => random))).toEqual([
      54 * 60_000,
      HOUR,
      66 * 60_000,
    ]);
  });

  it("comes later with each failure, but not later than a week or than twice its time", () => {
    const times = [1, 2, 3, 30].map((failures) => refreshTime(0, HOUR, failures, () => 1));
    expect(times).toEqual([4 * HOUR, 8 * HOUR, 16 * HOUR, 7 * 24 * HOUR]);
    fc.assert(
      fc.property(
        fc.integer({ min: 300_000, max: 366 * 24 * HOUR }),
        fc.nat(1000),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (every, failures, random) => {
          const wait = refreshTime(0, every, failures, () => random) ?? 0;
          expect(wait).toBeGreaterThanOrEqual(every * 0.89);
          expect(wait).toBeLessThanOrEqual(Math.max(7 * 24 * HOUR, every * 2));
        },
      ),
    );
  });
});

describe("the schedule of snapshots", () => {
  const fixture = useCatalog();

  const snapshotAt = (at: string, refreshAt: number | null): string => {
    const url = `https://example.org/${at}`;
    const item = fixture.file(`${at}.md`, { type: "url", sourceKey: url });
    fixture.catalog.snapshots.put({
      itemId: item.id,
      form: "page",
      url,
      title: null,
      allowPrivate: false,
      validators: { url, etag: null, lastModified: null },
      hash: "0",
      warnings: [],
      refreshEveryMs: refreshAt === null ? null : HOUR,
      refreshAt,
      failures: 0,
    });
    return item.id;
  };

  it("refreshes those that are due, the longest due first, and no other", async () => {
    const { catalog, clock } = fixture;
    const late = snapshotAt("late", clock.now - 1);
    const later = snapshotAt("later", clock.now - HOUR);
    snapshotAt("ahead", clock.now + HOUR);
    snapshotAt("unscheduled", null);
    const asked: string[][] = [];
    const schedule = startSnapshotSchedule(
      {
        catalog,
        now: () => clock.now,
        log,
        refresher: {
          refresh({ itemIds }) {
            asked.push([...itemIds]);
            for (const id of itemIds) {
              const snapshot = catalog.snapshots.get(id);
              if (snapshot) catalog.snapshots.put({ ...snapshot, refreshAt: clock.now + HOUR });
            }
            return Promise.resolve({ items: [], notFound: [] });
          },
        },
      },
      5,
    );
    await eventually(() => (asked.length > 0 ? true : undefined));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await schedule.stop();
    expect(asked).toEqual([[later, late]]);
  });

  it("goes on after a round that failed, and ends one that is running when it stops", async () => {
    const { catalog, clock } = fixture;
    snapshotAt("due", clock.now - 1);
    let rounds = 0;
    let ended = false;
    const schedule = startSnapshotSchedule(
      {
        catalog,
        now: () => clock.now,
        log,
        refresher: {
          async refresh(_request, signal) {
            rounds++;
            if (rounds === 1) throw new Error("the first round fails");
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
            ended = true;
            return { items: [], notFound: [] };
          },
        },
      },
      5,
    );
    await eventually(() => (rounds === 2 ? true : undefined));
    await schedule.stop();
    expect([rounds, ended]).toEqual([2, true]);
  });
});
