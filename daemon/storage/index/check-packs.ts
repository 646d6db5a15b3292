import { storedPacks } from "../../../workers/search/vectors/stored-packs.ts";
import type { Database } from "../sqlite.ts";
import type { Findings } from "./findings.ts";
import { outdatePack } from "./vector-packs.ts";

/**
 * Each pack of vectors that searches would read is whole, and has its units. One that is not is marked, to be made anew:
 * it is derived, and its units are loaded one by one until then. One pack a step.
 */
export function* checkPacks(db: Database, findings: Findings): Generator<undefined, void> {
  for (const dimensions of db.statement(DIMENSIONS).pluck().all() as number[]) {
    const packs = storedPacks(db, dimensions);
    for (let pack = packs.next(0); pack !== null; pack = packs.next(pack.last)) {
      const { first, last, units, deleted } = pack;
      const found = db.statement(UNITS).pluck().get(first, last) as number;
      if (packs.read(pack) === null || found !== units - deleted) {
        findings.add("vector-pack-damaged", `${first} to ${last}`);
        outdatePack(db, last);
      }
      yield;
    }
  }
}

const DIMENSIONS = "SELECT DISTINCT dimensions FROM vector_pack WHERE stale = 0";
const UNITS = "SELECT count(*) FROM unit_number WHERE number BETWEEN ? AND ?";
