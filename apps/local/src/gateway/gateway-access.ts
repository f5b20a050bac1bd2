import { readKeys } from "@trivium/gateway";
import { faultOfAllowedHost, faultOfAllowedOrigin, isObject, type Json, Refusal, splitList } from "@trivium/std";
import type { UpOptions } from "../options.ts";

/** What `gateway` in `trivium.yaml` says. */
export interface GatewayAccess {
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** A file, never a key: the configuration may be shown to others. */
  readonly apiKeyFile?: string;
  readonly metricsPort?: number;
}

/** Who may call the gateway, as it is told. */
export interface GatewayRules {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly keys: readonly string[];
}

const known = ["allowedHosts", "allowedOrigins", "apiKeyFile", "metricsPort"];

export function gatewayAccessOf(value: Json | undefined, path: string): GatewayAccess {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new Refusal(`${path}: gateway must be an object with ${known.join(", ")}`);
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0)
    throw new Refusal(`${path}: unknown field gateway.${unknown[0]} (known: ${known.join(", ")})`);
  return {
    allowedHosts: listOf(value.allowedHosts, faultOfAllowedHost, `${path}: gateway.allowedHosts`),
    allowedOrigins: listOf(value.allowedOrigins, faultOfAllowedOrigin, `${path}: gateway.allowedOrigins`),
    ...keyFileOf(value.apiKeyFile, path),
    ...metricsPortOf(value.metricsPort, path),
  };
}

function keyFileOf(apiKeyFile: Json | undefined, path: string): Pick<GatewayAccess, "apiKeyFile"> {
  if (apiKeyFile === undefined) return {};
  if (typeof apiKeyFile !== "string") throw new Refusal(`${path}: gateway.apiKeyFile must be the path of a file`);
  return { apiKeyFile };
}

function metricsPortOf(metricsPort: Json | undefined, path: string): Pick<GatewayAccess, "metricsPort"> {
  if (metricsPort === undefined) return {};
  const isPort = Number.isInteger(metricsPort) && Number(metricsPort) >= 0 && Number(metricsPort) <= 65_535;
  if (!isPort) throw new Refusal(`${path}: gateway.metricsPort must be a number from 0 to 65535`);
  return { metricsPort: Number(metricsPort) };
}

function listOf(value: Json | undefined, faultOf: (entry: string) => string | undefined, place: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Refusal(`${place} must be a list`);
  return value.map((entry) => checked(String(entry), faultOf, place));
}

function checked(entry: string, faultOf: (entry: string) => string | undefined, place: string): string {
  const fault = faultOf(entry);
  if (fault !== undefined) throw new Refusal(`${place}: ${fault}`);
  return entry;
}

/** Options and file together; what is chosen at the start wins where only one can be. */
export function gatewayRulesOf(
  options: Pick<UpOptions, "allowedHosts" | "allowedOrigins" | "apiKeyFile">,
  access: GatewayAccess,
  environment: Readonly<NodeJS.ProcessEnv>,
): GatewayRules {
  const hosts = splitList(options.allowedHosts).map((entry) => checked(entry, faultOfAllowedHost, "--allowed-hosts"));
  const origins = splitList(options.allowedOrigins).map((entry) =>
    checked(entry, faultOfAllowedOrigin, "--allowed-origins"),
  );
  return {
    hosts: [...hosts, ...(access.allowedHosts ?? [])],
    origins: [...origins, ...(access.allowedOrigins ?? [])],
    keys: readKeys(options.apiKeyFile ?? access.apiKeyFile, environment.TRIVIUM_API_KEY),
  };
}

/** What the local engine is told, so that it answers whom the gateway lets in, and the same web pages when it is called directly. */
export function engineEnvironmentOf(token: string, { origins }: GatewayRules): Record<string, string> {
  const pages: Record<string, string> = origins.length === 0 ? {} : { LLAMA_ARG_CORS_ORIGINS: origins.join() };
  return { TRIVIUM_GATEWAY_TOKEN: token, ...pages };
}
