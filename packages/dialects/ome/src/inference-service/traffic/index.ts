export { planClosedService } from "./closed-service.ts";
export type { EntryComponent, EntryComponents } from "./component.ts";
export { keptRoutes, planEntryObjects } from "./entry-objects.ts";
export { type EntryPlan, planEntry } from "./entry-plan.ts";
export { stateOfEntry } from "./entry-state.ts";
export { entryKinds, entryReads, type ObservedEntry, observeEntry } from "./observe.ts";
export { canSplitTraffic, ingressFaultOf } from "./settings.ts";
export { timeoutWarnings } from "./timeouts.ts";
