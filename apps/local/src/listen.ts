import { once } from "node:events";
import { createServer } from "node:net";
import { type Api, type HealthCheck, type RunningServer, type ServerIdentity, serveHttps } from "@trivium/apiserver";
import { Refusal } from "@trivium/std";
import { defaultGatewayPort, defaultPort, metricsDistance, type UpOptions } from "./options.ts";
import type { PortRequest } from "./ports.ts";

export interface Listening {
  readonly identity: ServerIdentity;
  readonly checks: readonly HealthCheck[];
  report(what: string, error: unknown): void;
}

/** Opens the door of the API at the first of these ports that is free, or says in a line why it cannot. */
export async function listen(
  api: Api,
  { host, ports: [port, ...others] }: { readonly host: string; readonly ports: readonly [number, ...number[]] },
  listening: Listening,
): Promise<RunningServer> {
  try {
    return await serveHttps(api, { ...listening, host, port, tokens: api.tokenOwner });
  } catch (error) {
    const [next, ...rest] = others;
    if (next !== undefined && isInUse(error)) return listen(api, { host, ports: [next, ...rest] }, listening);
    throw refusalOf(error, host, apiDoor(port)) ?? error;
  }
}

/** Refuses when one of the ports cannot be had now, before anything is written. */
export async function confirmPorts({ host, port, gatewayPort, anyPort }: UpOptions): Promise<void> {
  if (port !== 0 && port === gatewayPort)
    throw new Refusal(`--port and --gateway-port are both ${port}; change one of them`);
  for (const door of [apiDoor(port), gatewayDoor(gatewayPort)]) {
    await using server = createServer();
    try {
      await once(server.listen(door.port, host), "listening");
    } catch (error) {
      if (anyPort === true && isInUse(error)) continue;
      throw refusalOf(error, host, door) ?? error;
    }
  }
}

/** Which port is asked for the metrics of the gateway, where another program can have it. */
export function metricsRequestOf(
  { gatewayPort, metricsPort }: Pick<UpOptions, "gatewayPort" | "metricsPort">,
  configured: number | undefined,
): PortRequest {
  const chosen = metricsPort ?? configured;
  if (chosen !== undefined) return { of: "metrics", port: chosen };
  const port = gatewayPort === 0 || gatewayPort > 65_525 ? 0 : gatewayPort + metricsDistance;
  return { of: "metrics", port, isAnyAllowed: true };
}

/** The first of these ports that is free; one that was chosen is taken at its word. */
export async function findFreePort([first, ...others]: readonly [number, ...number[]]): Promise<number> {
  const [next, ...rest] = others;
  return next === undefined || (await isFree(first)) ? first : findFreePort([next, ...rest]);
}

async function isFree(port: number): Promise<boolean> {
  await using server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
    return true;
  } catch {
    return false;
  }
}

/** A port that a person chooses, by which flag, and one that they might choose instead. */
interface DoorChoice {
  readonly port: number;
  readonly flag: string;
  readonly other: number;
}

const apiDoor = (port: number): DoorChoice => ({ port, flag: "--port", other: besides(port, defaultPort) });
const gatewayDoor = (port: number): DoorChoice => ({
  port,
  flag: "--gateway-port",
  other: besides(port, defaultGatewayPort),
});
const besides = (port: number, usual: number): number => (port === usual ? usual + 1 : usual);

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);
const isInUse = (error: unknown): boolean => codeOf(error) === "EADDRINUSE";

/** npm keeps options for itself, unless they follow two hyphens. */
export const anyPortOption = (): string =>
  process.env.npm_lifecycle_event === "start" ? "npm start -- --any-port" : "--any-port";

function refusalOf(error: unknown, host: string, { port, flag, other }: DoorChoice): Refusal | undefined {
  switch (codeOf(error)) {
    case "EADDRINUSE": {
      const advice = `choose another port with ${flag}, for example ${other}, or any free one with ${anyPortOption()}`;
      return new Refusal(`port ${port} of ${host} is already in use by another program; ${advice}`);
    }
    case "EACCES":
      return new Refusal(`this user cannot listen on port ${port}; choose a port above 1023 with ${flag}`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new Refusal(`${host} is not an address of this machine; choose another address with --host`);
    default:
      return undefined;
  }
}
