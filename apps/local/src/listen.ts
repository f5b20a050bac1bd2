import { once } from "node:events";
import { createServer } from "node:net";
import { type Api, type HealthCheck, type RunningServer, type ServerIdentity, serveHttps } from "@trivium/apiserver";
import { Refusal } from "@trivium/std";
import { defaultGatewayPort, defaultPort, metricsDistance, type UpOptions } from "./options.ts";

export interface Listening {
  readonly identity: ServerIdentity;
  readonly checks: readonly HealthCheck[];
  report(what: string, error: unknown): void;
}

/** Opens the door of the API, or says in a line why it cannot. */
export async function listen(api: Api, options: UpOptions, listening: Listening): Promise<RunningServer> {
  const { host, port, anyPort } = options;
  try {
    return await serveHttps(api, { ...listening, host, port, tokens: api.tokenOwner });
  } catch (error) {
    if (anyPort === true && isInUse(error)) return listen(api, { ...options, port: 0 }, listening);
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

/** Figures stay where they were at the last start; a default that another program holds gives way to any free port. */
export async function metricsPortOf(
  { gatewayPort, metricsPort }: Pick<UpOptions, "gatewayPort" | "metricsPort">,
  configured: number | undefined,
): Promise<number> {
  const chosen = metricsPort ?? configured;
  if (chosen !== undefined) return chosen;
  const usual = gatewayPort === 0 || gatewayPort > 65_525 ? 0 : gatewayPort + metricsDistance;
  return (await isFree(usual)) ? usual : 0;
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
