export { openMemoryStore, openStore } from "./open.ts";
export { type Store, StoreRefused } from "./store.ts";
