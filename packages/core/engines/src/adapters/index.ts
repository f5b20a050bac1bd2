export {
  type AdapterEngine,
  type AdapterFiles,
  planAdapterArguments,
} from "./adapter-arguments.ts";
export type { RequestedAdapter } from "./adapter-list.ts";
export { findAdapterFault } from "./check-adapters.ts";
export { passAdapters } from "./pass-adapters.ts";
export { annotateAdapters, parseServedAdapters, servedAdaptersAnnotation } from "./served-adapters.ts";
