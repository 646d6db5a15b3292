import type { LoadedConfig } from "../../config/load.ts";
import type { Check } from "../../rpc/contract/doctor.ts";
import { checkEndpoints } from "../doctor/check-endpoints.ts";
import { checkIndexes } from "../doctor/check-indexes.ts";
import { checkState, type StateInput } from "../doctor/check-state.ts";
import { checkMachine } from "../doctor/machine/check-machine.ts";
import type { SourceSync } from "../ingest/source-sync.ts";
import type { Rerankers } from "../rerank/reranker.ts";
import { ownerScope } from "../runtime/scope.ts";
import type { Search } from "../search/search.ts";
import type { Services } from "./call.ts";

export interface DoctorServiceDeps extends StateInput {
  readonly config: LoadedConfig["config"];
  readonly sync: Pick<SourceSync, "watchStats">;
  readonly rerankers: Rerankers;
  readonly search: Pick<Search, "read">;
}

export function createDoctorService(deps: DoctorServiceDeps): Services<"system.doctor"> {
  return {
    "system.doctor": async ({ online, deep }, { signal }) => {
      const checks: Check[] = [
        ...(await checkMachine({
          dataDir: deps.config.data.dir,
          socketPath: deps.config.socket.path,
          config: deps.config,
          watches: await watchNeeds(deps.sync),
        })),
        ...checkState(deps),
        ...(await checkIndexes(
          { ...deps, read: (itemId, stop) => readStart(deps, itemId, stop) },
          deep,
          signal,
        )),
        ...(online ? await checkEndpoints({ ...deps.ingest, rerankers: deps.rerankers }, signal) : []),
      ];
      return { ok: checks.every((check) => check.state !== "problem"), checks };
    },
  };
}

async function watchNeeds(sync: DoctorServiceDeps["sync"]) {
  const stats = await sync.watchStats();
  return stats === null ? null : { watched: stats.watches, refused: stats.refused };
}

function readStart({ search }: DoctorServiceDeps, itemId: string, signal: AbortSignal) {
  const plain = { caseSensitive: false, literal: false, limit: 1 };
  return search.read({ itemId, charStart: 0, ...plain }, { signal, scope: ownerScope });
}
