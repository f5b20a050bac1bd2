export {
  type Attachment,
  type AttachmentWorld,
  attachRoute,
  isOurs,
  isServed,
  type RouteCondition,
} from "./attach-route.ts";
export { RouteTable } from "./match-route.ts";
export {
  isOffered,
  listNames,
  ModelDirectory,
  resolveUpstream,
  shownName,
  summarizeModels,
} from "./model-directory.ts";
export { pickBackend } from "./pick-backend.ts";
export { pickByPrefix, pickLeastLoaded } from "./pick-replica.ts";
export { planRoutes } from "./plan-routes.ts";
export { type BackendWorld, resolveReferences } from "./resolve-backends.ts";
export { rewritePath } from "./rewrite-path.ts";
export type * from "./route-table.ts";
export { judgeIdle, type Sleeper, selectVictim } from "./select-idle.ts";
export { canStart, isAsleep, isLiving, isLoading, summarizeWaking, type Workload } from "./wake-state.ts";
