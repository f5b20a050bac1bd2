export type { StoreOptions } from "./log-store.ts";
export { type OpenOptions, openMemoryStore, openStore } from "./open.ts";
export { defaultHistory, type HistoryLimits } from "./retention.ts";
export * from "./store.ts";
