import { homedir } from "node:os";
import { join, posix, resolve } from "node:path";
import type { AdoptPolicy } from "@trivium/runtime";

/** What a person can choose when starting the control plane on one machine. */
export interface UpOptions {
  /** Where everything is kept. */
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly gatewayPort: number;
  /** Takes any free port in place of one that another program has: who types `run` did not choose them. */
  readonly anyPort?: boolean | undefined;
  /** Left out: ten above the port of the gateway, or any free one where that is taken. */
  readonly metricsPort?: number | undefined;
  /** File with API keys for the gateway; `TRIVIUM_API_KEY` is one, too. */
  readonly apiKeyFile?: string | undefined;
  /** By commas: what the gateway answers beside this machine itself. */
  readonly allowedHosts?: string | undefined;
  readonly allowedOrigins?: string | undefined;
  readonly demo: boolean;
  /** Whether the dashboard is served. */
  readonly dashboard?: boolean | undefined;
  /** Left out: twenty above the port of the gateway, or any free one where that is taken. */
  readonly dashboardPort?: number | undefined;
  /** Reads what the headers of a model say, for the dashboard. */
  readonly inspect?: ((source: string) => Promise<unknown>) | undefined;
  /** The APIs whose kinds are installed and worked on; all when left out. */
  readonly dialects?: readonly string[] | undefined;
  /** What happens to objects that an upstream operator has served; what restarts no pod when left out. */
  readonly adopt?: AdoptPolicy | undefined;
  /** Runs pods in containers of this engine, instead of as processes. */
  readonly containers?: "podman" | "docker" | undefined;
  /** How many pods can share one GPU. */
  readonly gpuShares?: number | undefined;
  /** What paths of OME's models may begin with, the first for models that name no path. */
  readonly modelsRoot?: readonly string[] | undefined;
}

export const defaultPort = 7443;
export const defaultGatewayPort = 8080;
/** How far the port of the figures is above that of the gateway; the next ones are for gateways of further homes. */
export const metricsDistance = 10;
/** The dashboard is further above it, for the same reason; 0, any free port, where there is no such port. */
export const defaultDashboardPort = (gatewayPort: number): number =>
  gatewayPort === 0 || gatewayPort > 65_515 ? 0 : gatewayPort + 2 * metricsDistance;

/** The home that is meant when none is named: `$TRIVIUM_HOME`, else `~/.trivium`. */
export function defaultHome(env: NodeJS.ProcessEnv): string {
  return env.TRIVIUM_HOME ? resolve(env.TRIVIUM_HOME) : join(homedir(), ".trivium");
}

/** A port number, or a sentence about what is wrong with it. */
export function parsePort(text: string): number | string {
  const port = Number(text);
  return Number.isInteger(port) && port >= 0 && port <= 65535
    ? port
    : `"${text}" is not a valid port (expected 1 to 65535, or 0 for any free port)`;
}

/** A folder by its absolute path, without `.`, `..` and slashes at the end; the whole disk is not a folder to share. */
export function parseFolder(text: string): string | undefined {
  if (!text.startsWith("/") || text.includes("\0")) return undefined;
  const path = posix.normalize(text).replace(/\/+$/, "");
  return path === "" ? undefined : path;
}
