import { hostname } from "node:os";
import type { AimOptions } from "@trivium/aim";
import { type PodSecurityLevel, podSecurityLevels } from "@trivium/kube";
import type { LlmkubeOptions } from "@trivium/llmkube";
import type { OmeOptions } from "@trivium/ome";
import { parseDialectNames } from "@trivium/reconcile";
import { Refusal } from "@trivium/std";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { type Address, formatAddress, parseAddress } from "./address.ts";
import { addAimOptions, aimOptionsOf } from "./aim-options.ts";
import { addLlmkubeOptions, llmkubeOptionsOf } from "./llmkube-options.ts";
import { addOmeOptions, omeOptionsOf } from "./ome-options.ts";
import { version } from "./version.ts";
import { addWebhookOptions, type WebhookOptions, webhookOptionsOf } from "./webhook-options.ts";

/** What a person can choose when starting the operator. */
export interface OperatorOptions {
  /** The APIs whose kinds, reconcilers and webhooks this operator has. */
  readonly dialects: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Only objects of this namespace are worked on; all when left out. */
  readonly namespace?: string;
  /** Where the operator itself lives; the namespace of the kubeconfig or of the pod when left out. */
  readonly operatorNamespace?: string;
  /** Where health and metrics are served. */
  readonly listen: Address | "off";
  readonly leaderElection: boolean;
  readonly leaseName: string;
  /** The namespace of the operator when left out. */
  readonly leaseNamespace?: string;
  /** This process among its peers. */
  readonly identity: string;
  readonly qps: number;
  readonly burst: number;
  readonly concurrency: number;
  /** The least that emitted pods are held to; `namespace`: what the labels of their namespace say. */
  readonly podSecurityLevel: "namespace" | PodSecurityLevel;
  readonly logLevel: (typeof logLevels)[number];
  readonly installCrds: boolean;
  readonly printRbac: boolean;
  readonly printWebhooks: boolean;
  readonly webhooks: WebhookOptions;
  /** Hosts, addresses and networks that sources of weights may lead to although they are private. */
  readonly remoteHosts: readonly string[];
  readonly aim: AimOptions;
  readonly llmkube: LlmkubeOptions;
  readonly ome: OmeOptions;
}

export const dialectNames: readonly string[] = ["aim", "ome", "llmkube"];
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
const defaultListen: Address = { host: "127.0.0.1", port: 9440 };

export type Request =
  | { readonly is: "run"; readonly options: OperatorOptions }
  /** The text was asked for with --help or --version. */
  | { readonly is: "read"; readonly text: string };

/** Switches that are off unless they are given. */
const switchedOff = { installCrds: false, printRbac: false, printWebhooks: false };
type Plain = Omit<OperatorOptions, "remoteHosts" | "aim" | "llmkube" | "ome" | "webhooks">;
type Given = Omit<Plain, keyof typeof switchedOff> &
  Partial<typeof switchedOff> &
  Parameters<typeof aimOptionsOf>[0] &
  Parameters<typeof llmkubeOptionsOf>[0] &
  Parameters<typeof omeOptionsOf>[0] &
  Parameters<typeof webhookOptionsOf>[0];

/** Reads the command line. What is wrong with it is a refusal. */
export function parseOptions(args: readonly string[]): Request {
  let text = "";
  const command = commandLine().configureOutput({
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
    throw new Refusal(`${error.message.replace(/^error: /, "").replaceAll("\n", " ")} (--help says what there is)`);
  }
  return { is: "run", options: sortOptions(command.opts<Given>()) };
}

/** Options of the process as they are; those of a dialect, and of the webhooks, together. */
function sortOptions(given: Given): OperatorOptions {
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => !gathered.has(name)));
  return {
    ...switchedOff,
    ...(own as unknown as Plain),
    remoteHosts: given.allowedRemoteHosts,
    aim: aimOptionsOf(given, process.env),
    llmkube: llmkubeOptionsOf(given),
    ome: omeOptionsOf(given),
    webhooks: webhookOptionsOf(given),
  };
}

const addGathered = (command: Command): Command =>
  addWebhookOptions(addAimOptions(addOmeOptions(addLlmkubeOptions(command))));

const gathered: ReadonlySet<string> = new Set(
  addGathered(new Command()).options.map((option) => option.attributeName()),
);

function commandLine(): Command {
  const command = new Command("trivium-operator")
    .description("Runs the reconcilers of AIM, OME and LLMKube on a Kubernetes cluster")
    .version(version)
    .exitOverride()
    .allowExcessArguments(false)
    .addOption(
      new Option("--dialects <list>", "the APIs to install and run, separated by commas")
        .argParser(dialectsOption)
        .default(dialectNames, dialectNames.join(",")),
    )
    .option(
      "--kubeconfig <file>",
      "how to reach the cluster; $KUBECONFIG, ~/.kube/config, or the pod's own when left out",
    )
    .option("--context <name>", "context of the kubeconfig; its current one when left out")
    .option("--namespace <name>", "work on objects of this namespace only")
    .option("--operator-namespace <name>", "namespace the operator lives in; that of the context or pod when left out")
    .addOption(
      new Option("--listen <address>", "where /healthz, /readyz and /metrics are, or off")
        .argParser(listenOption)
        .default(defaultListen, formatAddress(defaultListen)),
    )
    .option("--no-leader-election", "work at once, without competing for the Lease")
    .option("--lease-name <name>", "name of the Lease", "trivium-operator")
    .option("--lease-namespace <name>", "namespace of the Lease; that of the operator when left out")
    .addOption(
      new Option("--identity <name>", "name of this process in the Lease, unique among its peers").default(
        ownIdentity(),
        "from host, process and time",
      ),
    )
    .option("--qps <number>", "calls to the API a second, in the long run", positiveOption, 50)
    .option("--burst <number>", "calls to the API at once after a quiet time", positiveOption, 100)
    .option("--concurrency <number>", "objects worked on at a time", positiveOption, 16)
    .addOption(
      new Option(
        "--pod-security-level <level>",
        "Pod Security level that emitted pods must meet; a stricter label of the namespace wins, and with namespace only the label counts",
      )
        .choices(["namespace", ...podSecurityLevels])
        .default("namespace"),
    )
    .addOption(new Option("--log-level <level>", "least important line to log").choices(logLevels).default("info"))
    .option("--install-crds", "apply the definitions of all kinds of the chosen APIs before starting")
    .option(
      "--print-rbac",
      "print the permissions that the operator needs with these options, and the roles of its users, and end",
    )
    .option("--print-webhooks", "print the configurations by which an API server asks the webhooks, and end");
  return addGathered(command);
}

function listenOption(text: string): Address | "off" {
  const address = text === "off" ? text : parseAddress(text);
  if (address === undefined) throw new InvalidArgumentError('Give host:port, a port of 0 for any free one, or "off".');
  return address;
}

function dialectsOption(text: string): readonly string[] {
  const names = parseDialectNames(text, dialectNames);
  if (typeof names === "string") throw new InvalidArgumentError(`${names}.`);
  return names;
}

function positiveOption(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Give a whole number from 1 to 999999.");
  return Number(text);
}

function ownIdentity(): string {
  return `${hostname()}_${process.pid}_${Date.now().toString(36)}`;
}
