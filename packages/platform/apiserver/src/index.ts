export { type BuiltInOptions, builtInResources } from "./built-in/index.ts";
export * from "./http/index.ts";
export type { Identity } from "./identity.ts";
export type {
  AccountToken,
  AccountTokens,
  AdmissionPort,
  AdmittedWrite,
  BoundObject,
  LogRequest,
  ObjectKind,
  PodLogs,
  TokenRequest,
} from "./ports.ts";
export type { Registry } from "./registry.ts";
export type { Resource, Strategy, StrategyContext, Subresources, TableColumn, Verb } from "./resource.ts";
export { type Api, type ApiOptions, createApi } from "./server.ts";
export * from "./store/index.ts";
export { createAccountTokens } from "./tokens/account-tokens.ts";
