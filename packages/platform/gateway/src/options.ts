import { parseArgs } from "node:util";
import type { Ref } from "@trivium/kube";
import {
  faultOfAllowedHost,
  faultOfAllowedOrigin,
  parseDuration,
  Refusal,
  splitList,
  type WebAccess,
} from "@trivium/std";
import { readKeys } from "./auth/read-keys.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { workersOf } from "./workers/count.ts";

/** What a person can choose when starting the gateway. */
export interface ProgramOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Models and routes of this namespace only; of all when left out. */
  readonly namespace: string | undefined;
  readonly host: string;
  readonly port: number;
  /** How many processes serve. */
  readonly workers: number;
  readonly adminPort: number | undefined;
  readonly adminHost: string;
  readonly metricsAccess: "anyone" | "authorized";
  readonly apiKeys: Ref | undefined;
  /** Keys of a file or of the environment: an argument list can be read by every user of the machine. */
  readonly keys: readonly string[];
  readonly gatewayToken: string | undefined;
  readonly orphans: "adopt" | "leave";
  readonly idling: "on" | "off";
  readonly accessLog: "on" | "off";
  readonly access: WebAccess;
  readonly limits: Partial<Limits>;
}

export const help = `trivium-gateway: one address for all models and routes of a cluster

  --kubeconfig FILE        kubeconfig of the cluster
                           (default: $KUBECONFIG, ~/.kube/config, or the service account of the pod)
  --context NAME           context of the kubeconfig (default: its current context)
  --namespace NAME         serve models and routes of this namespace only (default: all)
  --host ADDRESS           address to listen on (default: 127.0.0.1)
  --port NUMBER            port to listen on; 0 for any free port (default: 8080)
  --workers NUMBER|auto    number of processes that serve; auto for the CPU limit of the container (default: auto)
  --admin-port NUMBER|off  port of /metrics, /healthz and /readyz (default: --port + 1)
  --admin-host ADDRESS     address of the admin port (default: 127.0.0.1)
  --metrics-access WHO     who can read /metrics: anyone, or accounts that the cluster authorizes (default: anyone)
  --api-keys NS/NAME       Secret whose values are API keys
  --api-key-file FILE      file with one API key per line; $TRIVIUM_API_KEY is also accepted;
                           without any key, clients need none
  --allowed-hosts LIST     host names to accept besides local names, IP addresses and hosts of routes; * for any
  --allowed-origins LIST   origins of web pages that can call the gateway besides local ones,
                           such as https://app.example.com; * for any
  --orphan-routes HOW      HTTPRoutes whose Gateway does not exist: adopt or leave (default: leave)
  --idle on|off            scale idle workloads with ${"trivium.dev/idle-timeout"} to zero (default: on)
  --access-log on|off      log one line of JSON per request (default: off)
  --max-body BYTES         maximum body of a request to a model (default: ${defaultLimits.bodyBytes})
  --max-headers BYTES      maximum size of the headers (default: ${defaultLimits.headerBytes})
  --max-held NUMBER        maximum number of waiting requests (default: ${defaultLimits.held})
  --max-held-per-model N   maximum number of waiting requests per Service (default: ${defaultLimits.heldPerModel})
  --hold-deadline TIME     how long a request waits for a model (default: 10m)
  --unschedulable-grace T  how long a pod can be unschedulable before its requests fail (default: 15s)
`;

const flags = {
  kubeconfig: { type: "string" },
  context: { type: "string" },
  namespace: { type: "string" },
  host: { type: "string", default: "127.0.0.1" },
  port: { type: "string", default: "8080" },
  workers: { type: "string", default: "auto" },
  "admin-port": { type: "string" },
  "admin-host": { type: "string", default: "127.0.0.1" },
  "metrics-access": { type: "string", default: "anyone" },
  "api-keys": { type: "string" },
  "api-key-file": { type: "string" },
  "allowed-hosts": { type: "string" },
  "allowed-origins": { type: "string" },
  "orphan-routes": { type: "string", default: "leave" },
  idle: { type: "string", default: "on" },
  "access-log": { type: "string", default: "off" },
  "max-body": { type: "string" },
  "max-headers": { type: "string" },
  "max-held": { type: "string" },
  "max-held-per-model": { type: "string" },
  "hold-deadline": { type: "string" },
  "unschedulable-grace": { type: "string" },
  help: { type: "boolean", default: false },
} as const;

type Values = ReturnType<typeof parse>;

/** Reads the command line. What is wrong with it is a refusal; help was asked for when nothing comes back. */
export function parseOptions(
  args: readonly string[],
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): ProgramOptions | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const port = portOf("port", values.port);
  return {
    kubeconfig: values.kubeconfig,
    context: values.context,
    namespace: namespaceOf(values.namespace),
    host: values.host,
    port,
    workers: workersOf(values.workers),
    adminPort: adminPortOf(values["admin-port"], port),
    adminHost: values["admin-host"],
    metricsAccess: choiceOf("metrics-access", values["metrics-access"], ["anyone", "authorized"]),
    apiKeys: refOf(values["api-keys"]),
    keys: readKeys(values["api-key-file"], environment.TRIVIUM_API_KEY),
    gatewayToken: environment.TRIVIUM_GATEWAY_TOKEN || undefined,
    orphans: choiceOf("orphan-routes", values["orphan-routes"], ["adopt", "leave"]),
    idling: choiceOf("idle", values.idle, ["on", "off"]),
    accessLog: choiceOf("access-log", values["access-log"], ["on", "off"]),
    access: {
      hosts: listOf("allowed-hosts", values["allowed-hosts"], faultOfAllowedHost),
      origins: listOf("allowed-origins", values["allowed-origins"], faultOfAllowedOrigin),
    },
    limits: limitsOf(values),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags, allowPositionals: false }).values;
  } catch (error) {
    throw new Refusal(`${(error as Error).message}; see --help`);
  }
}

function listOf(
  flag: string,
  text: string | undefined,
  faultOf: (entry: string) => string | undefined,
): readonly string[] {
  const entries = splitList(text);
  const fault = entries.map(faultOf).find((found) => found !== undefined);
  if (fault !== undefined) throw new Refusal(`--${flag}: ${fault}`);
  return entries;
}

function limitsOf(values: Values): Partial<Limits> {
  const number = (name: "max-body" | "max-headers" | "max-held" | "max-held-per-model", key: keyof Limits) =>
    values[name] === undefined ? {} : { [key]: numberOf(name, values[name]) };
  const time = (name: "hold-deadline" | "unschedulable-grace", key: keyof Limits) =>
    values[name] === undefined ? {} : { [key]: timeOf(name, values[name]) };
  return {
    ...number("max-body", "bodyBytes"),
    ...number("max-headers", "headerBytes"),
    ...number("max-held", "held"),
    ...number("max-held-per-model", "heldPerModel"),
    ...time("hold-deadline", "holdDeadline"),
    ...time("unschedulable-grace", "unschedulableGrace"),
  };
}

function adminPortOf(text: string | undefined, port: number): number | undefined {
  if (text === "off") return undefined;
  if (text !== undefined) return portOf("admin-port", text);
  return port === 0 ? 0 : port + 1;
}

function portOf(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new Refusal(`--${flag} ${text} is not a valid port (expected 0 to 65535)`);
  return port;
}

function numberOf(flag: string, text: string): number {
  if (!/^[1-9]\d{0,11}$/.test(text)) throw new Refusal(`--${flag} ${text} is not a whole number above zero`);
  return Number(text);
}

function timeOf(flag: string, text: string): number {
  const time = parseDuration(text);
  if (time === undefined || time < 0)
    throw new Refusal(`--${flag} ${text} is not a valid duration (expected e.g. 90s or 10m)`);
  return time;
}

function namespaceOf(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text))
    throw new Refusal(`--namespace ${text} is not a valid name of a namespace`);
  return text;
}

function refOf(text: string | undefined): Ref | undefined {
  if (text === undefined) return undefined;
  const [namespace = "", name = "", ...rest] = text.split("/");
  if (namespace === "" || name === "" || rest.length > 0) {
    throw new Refusal(`--api-keys ${text} is not a valid Secret (expected namespace/name)`);
  }
  return { namespace, name };
}

function choiceOf<T extends string>(flag: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new Refusal(`--${flag} ${text} is not one of ${choices.join(", ")}`);
  return found;
}
