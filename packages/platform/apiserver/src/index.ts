export { builtInResources } from "./built-in/index.ts";
export * from "./http/index.ts";
export type { AdmissionPort, PodLogs } from "./ports.ts";
export { type Api, createApi } from "./server.ts";
export * from "./store/index.ts";
export { createAccountTokens } from "./tokens/account-tokens.ts";
