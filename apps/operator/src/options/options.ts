import { hostname } from "node:os";
import type { AimOptions } from "@trivium/aim";
import { type PodSecurityLevel, podSecurityLevels } from "@trivium/kube";
import type { LlmkubeOptions } from "@trivium/llmkube";
import type { OmeOptions } from "@trivium/ome";
import { parseDialectNames } from "@trivium/reconcile";
import { type AdoptPolicy, adoptPolicies } from "@trivium/runtime";
import { Refusal } from "@trivium/std";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { addDashboardOptions, type DashboardOptions, dashboardOptionsOf } from "../dashboard/dashboard-options.ts";
import { version } from "../version.ts";
import { addWebhookOptions, type WebhookOptions, webhookOptionsOf } from "../webhooks/webhook-options.ts";
import { type Address, formatAddress, parseAddress } from "./address.ts";
import { addAimOptions, aimOptionsOf } from "./aim-options.ts";
import { addImageOptions, imagesOf } from "./image-options.ts";
import { addLlmkubeOptions, llmkubeOptionsOf } from "./llmkube-options.ts";
import { addOmeOptions, omeOptionsOf } from "./ome-options.ts";

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
  readonly metricsAccess: "anyone" | "authorized";
  readonly leaderElection: boolean;
  readonly leaseName: string;
  /** The namespace of the operator when left out. */
  readonly leaseNamespace?: string;
  /** This process among its peers. */
  readonly identity: string;
  /** Requests a second at most; no limit of our own when left out: the API server shares its capacity among its clients. */
  readonly qps?: number;
  /** Used only together with `qps`. */
  readonly burst: number;
  readonly concurrency: number;
  /** The least that emitted pods are held to; `namespace`: what the labels of their namespace say. */
  readonly podSecurityLevel: "namespace" | PodSecurityLevel;
  /** What happens to objects that the upstream operator of an API has made. */
  readonly adopt: AdoptPolicy;
  /** Where upstream operators are installed besides their default namespaces. */
  readonly upstreamNamespaces: readonly string[];
  readonly logLevel: (typeof logLevels)[number];
  readonly installCrds: boolean;
  readonly printRbac: boolean;
  readonly printWebhooks: boolean;
  readonly webhooks: WebhookOptions;
  readonly dashboard: DashboardOptions;
  /** Hosts, addresses and networks that sources of weights may lead to although they are private. */
  readonly remoteHosts: readonly string[];
  readonly aim: AimOptions;
  readonly llmkube: LlmkubeOptions;
  readonly ome: OmeOptions;
}

export const dialectNames: readonly string[] = ["aim", "aim-eai", "ome", "llmkube"];
/** Two groups of AIM have kinds of the same names, so the newer is served only where it is chosen. */
export const defaultDialects: readonly string[] = ["aim", "ome", "llmkube"];
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
const defaultListen: Address = { host: "127.0.0.1", port: 9440 };

export type Request =
  | { readonly is: "run"; readonly options: OperatorOptions }
  /** The text was asked for with --help or --version. */
  | { readonly is: "read"; readonly text: string };

/** Switches that are off unless they are given. */
const switchedOff = { installCrds: false, printRbac: false, printWebhooks: false };
type Plain = Omit<OperatorOptions, "remoteHosts" | "aim" | "llmkube" | "ome" | "webhooks" | "dashboard">;
type Given = Omit<Plain, keyof typeof switchedOff> &
  Partial<typeof switchedOff> &
  Parameters<typeof imagesOf>[0] &
  Omit<Parameters<typeof aimOptionsOf>[0], "weightsImage"> &
  Omit<Parameters<typeof llmkubeOptionsOf>[0], "weightsImage"> &
  Omit<Parameters<typeof omeOptionsOf>[0], "weightsImage"> &
  Parameters<typeof dashboardOptionsOf>[0] &
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
    throw new Refusal(`${error.message.replace(/^error: /, "").replaceAll("\n", " ")}; see --help`);
  }
  return { is: "run", options: sortOptions(command.opts<Given>()) };
}

/** Options of the process as they are; those of a dialect, and of the webhooks, together. */
function sortOptions(given: Given): OperatorOptions {
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => !gathered.has(name)));
  const withImages = { ...given, ...imagesOf(given) };
  return {
    ...switchedOff,
    ...(own as unknown as Plain),
    remoteHosts: given.allowedRemoteHosts,
    aim: aimOptionsOf(withImages, process.env),
    llmkube: llmkubeOptionsOf(withImages),
    ome: omeOptionsOf(withImages),
    webhooks: webhookOptionsOf(given),
    dashboard: dashboardOptionsOf(given),
  };
}

const addGathered = (command: Command): Command =>
  addDashboardOptions(addWebhookOptions(addAimOptions(addOmeOptions(addLlmkubeOptions(addImageOptions(command))))));

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
      new Option("--dialects <list>", "APIs to install and run, separated by commas")
        .argParser(dialectsOption)
        .default(defaultDialects, defaultDialects.join(",")),
    )
    .option(
      "--kubeconfig <file>",
      "kubeconfig of the cluster (default: $KUBECONFIG, ~/.kube/config, or the service account of the pod)",
    )
    .option("--context <name>", "context of the kubeconfig (default: its current context)")
    .option("--namespace <name>", "reconcile objects of this namespace only")
    .option("--operator-namespace <name>", "namespace of the operator (default: that of the context or pod)")
    .addOption(
      new Option("--listen <address>", "address of /healthz, /readyz and /metrics, or off")
        .argParser(listenOption)
        .default(defaultListen, formatAddress(defaultListen)),
    )
    .addOption(
      new Option("--metrics-access <who>", "who can read /metrics: anyone, or accounts that the cluster authorizes")
        .choices(["anyone", "authorized"])
        .default("anyone"),
    )
    .option("--no-leader-election", "start without leader election")
    .option("--lease-name <name>", "name of the Lease", "trivium-operator")
    .option("--lease-namespace <name>", "namespace of the Lease (default: that of the operator)")
    .addOption(
      new Option("--identity <name>", "unique name of this process in the Lease").default(
        ownIdentity(),
        "host, process and time",
      ),
    )
    .option("--qps <number>", "sustained API requests per second (default: unlimited)", positiveOption)
    .option("--burst <number>", "maximum burst of API requests with --qps", positiveOption, 100)
    .option("--concurrency <number>", "maximum number of objects reconciled at a time", positiveOption, 16)
    .addOption(
      new Option(
        "--pod-security-level <level>",
        'Pod Security level of the pods that are created; a stricter label of the namespace wins; "namespace" uses the label only',
      )
        .choices(["namespace", ...podSecurityLevels])
        .default("namespace"),
    )
    .addOption(
      new Option(
        "--adopt <policy>",
        "take over objects of the upstream operators: never, plan (report what safe would do as Events and in ConfigMap trivium-take-over-plan), safe (without a restart of pods), or all",
      )
        .choices(adoptPolicies)
        .default("safe"),
    )
    .addOption(
      new Option("--upstream-namespaces <list>", "further namespaces with upstream operators, separated by commas")
        .argParser((text) => text.split(",").filter((name) => name !== ""))
        .default([], "none"),
    )
    .addOption(new Option("--log-level <level>", "minimum log level").choices(logLevels).default("info"))
    .option("--install-crds", "apply the CustomResourceDefinitions of the selected APIs before starting")
    .option(
      "--print-rbac",
      "print the RBAC rules that the operator needs with these options and the roles for users, then exit",
    )
    .option("--print-webhooks", "print the webhook configurations for the API server, then exit");
  return addGathered(command);
}

function listenOption(text: string): Address | "off" {
  const address = text === "off" ? text : parseAddress(text);
  if (address === undefined) throw new InvalidArgumentError('Expected host:port (port 0 for any free port), or "off"');
  return address;
}

function dialectsOption(text: string): readonly string[] {
  const names = parseDialectNames(text, dialectNames);
  if (typeof names === "string") throw new InvalidArgumentError(`${names}.`);
  return names;
}

function positiveOption(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Expected a whole number from 1 to 999999");
  return Number(text);
}

function ownIdentity(): string {
  return `${hostname()}_${process.pid}_${Date.now().toString(36)}`;
}
