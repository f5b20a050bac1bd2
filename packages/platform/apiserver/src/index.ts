export { builtInResources } from "./built-in/index.ts";
export { establishedDefinition } from "./crd/established.ts";
export * from "./http/index.ts";
export type { ContainerMetrics, UsagePort } from "./metrics/usage-port.ts";
export type { AdmissionPort, PodLogs, PodStreams } from "./ports.ts";
export { type Api, createApi } from "./server.ts";
export { type SeedObject, seedStore } from "./storage/seed-store.ts";
export * from "./store/index.ts";
export type {
  CommandResult,
  CommandStreams,
  ExecRequest,
  PortAddress,
  RunCommand,
  TerminalSize,
} from "./streaming/pod-streams.ts";
export { createAccountTokens } from "./tokens/account-tokens.ts";
