import { join, resolve } from "node:path";
import { omeDefaults } from "@trivium/ome";
import { Refusal, splitList } from "@trivium/std";
import { isAddressException } from "@trivium/weights";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";

/** What a person can choose when starting the agent of a node. */
export interface NodeAgentOptions {
  readonly nodeName: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Where the ConfigMap of the node is. */
  readonly namespace: string;
  /** Models of this namespace, and those without one, only; all when left out. */
  readonly watchNamespace?: string;
  readonly modelsRoot: string;
  readonly store: string;
  readonly allowRoot: readonly string[];
  /** Hosts, addresses and networks that sources may lead to although they are private. */
  readonly allowedRemoteHosts: readonly string[];
  readonly diskLimit?: number;
  readonly downloads: number;
  readonly healthHost: string;
  readonly healthPort: number;
  readonly metricsAccess: "anyone" | "authorized";
  readonly logLevel: (typeof logLevels)[number];
}

const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

export type Request =
  | { readonly is: "run"; readonly options: NodeAgentOptions }
  | { readonly is: "read"; readonly text: string };

/** Reads the command line. What is wrong with it is a refusal. */
export function parseOptions(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Request {
  let text = "";
  const command = commandLine(env).configureOutput({
    writeOut: (part) => {
      text += part;
    },
    writeErr: () => {},
  });
  try {
    command.parse(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { is: "read", text };
    throw new Refusal(`${error.message.replace(/^error: /, "").replaceAll("\n", " ")}; see --help`);
  }
  const given = command.opts<Omit<NodeAgentOptions, "store"> & { readonly store?: string }>();
  if (!given.nodeName)
    throw new Refusal("the name of this node is missing; set --node-name, or NODE_NAME with the downward API");
  const modelsRoot = resolve(given.modelsRoot);
  const store = given.store === undefined ? join(modelsRoot, ".trivium") : resolve(given.store);
  return {
    is: "run",
    options: { ...given, modelsRoot, store, allowRoot: given.allowRoot.map((path) => resolve(path)) },
  };
}

function commandLine(env: Readonly<Record<string, string | undefined>>): Command {
  return new Command("trivium node-agent")
    .description("Downloads the models and fine-tuned weights that OME objects request on this node")
    .exitOverride()
    .allowExcessArguments(false)
    .option("--node-name <name>", "name of this node in the API, or set NODE_NAME", env.NODE_NAME ?? "")
    .option(
      "--kubeconfig <file>",
      "kubeconfig of the cluster (default: $KUBECONFIG, ~/.kube/config, or the service account of the pod)",
    )
    .option("--context <name>", "context of the kubeconfig (default: its current context)")
    .option(
      "--namespace <name>",
      "namespace of the ConfigMaps in which nodes report their models",
      omeDefaults.namespace,
    )
    .option(
      "--watch-namespace <name>",
      "hold models of this namespace, and those without a namespace, only (default: all)",
    )
    .option("--models-root <folder>", "folder for all models", omeDefaults.modelsRoot)
    .option("--store <folder>", "folder that stores each file once (default: .trivium in the models root)")
    .option("--allow-root <folder>", "folder that local:// can point to; repeatable", collect, [])
    .option(
      "--allowed-remote-hosts <hosts>",
      "private hosts, addresses and networks that downloads can use, separated by commas; * for any",
      remoteHosts,
      [],
    )
    .option("--disk-limit <bytes>", "maximum size of all models together, such as 500G", bytesOption)
    .option("--downloads <number>", "maximum number of models downloaded at a time", countOption, 2)
    .option("--health-host <address>", "address of /healthz, /livez, /readyz and /metrics", "127.0.0.1")
    .option(
      "--health-port <number>",
      "port of /healthz, /livez, /readyz and /metrics; 0 for any free port",
      portOption,
      8080,
    )
    .addOption(
      new Option("--metrics-access <who>", "who can read /metrics: anyone, or accounts that the cluster authorizes")
        .choices(["anyone", "authorized"])
        .default("anyone"),
    )
    .addOption(new Option("--log-level <level>", "minimum log level").choices(logLevels).default("info"));
}

function remoteHosts(text: string, before: readonly string[]): string[] {
  const given = splitList(text);
  const wrong = given.find((host) => host !== "*" && !isAddressException(host));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`${wrong} is not a valid host, address or network (expected e.g. 10.0.0.0/8)`);
  return [...before, ...given];
}

const collect = (one: string, before: readonly string[]): string[] => [...before, one];

function portOption(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError("Expected a number from 0 to 65535");
  return port;
}

function countOption(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError("Expected a whole number from 1 to 99");
  return Number(text);
}

const units: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

function bytesOption(text: string): number {
  const [, digits, unit = "", binary] = /^(\d{1,15})([KMGT]?)(i?)B?$/i.exec(text) ?? [];
  const factor = units[unit.toUpperCase()];
  if (digits === undefined || factor === undefined)
    throw new InvalidArgumentError("Expected a size such as 500G or 2Ti");
  const power = "KMGT".indexOf(unit.toUpperCase()) + 1;
  return Number(digits) * (binary === "" || unit === "" ? factor : 1024 ** power);
}
