import type { MethodName } from "../rpc/contract/index.ts";
import { createBaseService, type BaseServiceDeps } from "./services/base-service.ts";
import type { Services } from "./services/call.ts";
import { createDoctorService, type DoctorServiceDeps } from "./services/doctor-service.ts";
import { createItemService, type ItemServiceDeps } from "./services/item-service.ts";
import { createJobService } from "./services/job-service.ts";
import { createKbService } from "./services/kb-service.ts";
import { createSearchService, type SearchServiceDeps } from "./services/search-service.ts";
import { createSnapshotService, type SnapshotServiceDeps } from "./services/snapshot-service.ts";
import { createSourceService, type SourceServiceDeps } from "./services/source-service.ts";
import { createTokenService } from "./services/token-service.ts";
import { createSystemService, type SystemServiceDeps } from "./services/system-service.ts";

/** Methods that belong to a connection or to the table itself, and are answered by the RPC layer. */
export type ConnectionMethod = "session.open" | "system.methods" | "events.subscribe" | "events.unsubscribe";

/** All that RPC may call. */
export type AllServices = Services<Exclude<MethodName, ConnectionMethod>>;

export type ServicesDeps = BaseServiceDeps &
  SourceServiceDeps &
  SystemServiceDeps &
  Pick<ItemServiceDeps, "sources"> &
  SnapshotServiceDeps &
  SearchServiceDeps &
  Pick<DoctorServiceDeps, "config" | "rerankers" | "search">;

export function createServices(deps: ServicesDeps): AllServices {
  const itemService = createItemService(deps);
  return {
    ...createSystemService(deps),
    ...createDoctorService(deps),
    ...createBaseService(deps),
    ...createSourceService(deps),
    ...itemService,
    ...createSnapshotService(deps),
    ...createSearchService(deps),
    ...createKbService({ ...deps, itemService }),
    ...createJobService(deps.ingest),
    ...createTokenService(deps.ingest),
  };
}
