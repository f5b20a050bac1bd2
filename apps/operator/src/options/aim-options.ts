import { type AimOptions, aimDefaults } from "@trivium/aim";
import { type Command, InvalidArgumentError, Option } from "commander";

/** What a person chooses for all models, templates and services of AIM. */
interface Flags {
  readonly aimBaseImage: string;
  readonly aimBaseArgs: readonly string[];
  readonly aimCacheRoot: string;
  readonly aimBackend: AimOptions["backend"];
  readonly aimRuntime: AimOptions["runtimeMode"];
  readonly aimDiscoveryJobs: number;
  readonly aimMetricReceiver: string;
  readonly aimMetricScaler: string;
  readonly operatorNamespace?: string;
  /** These two are the same for all dialects. */
  readonly weightsImage: string;
  readonly allowedHostPathRoots: readonly string[];
}

const { backend, baseArguments, baseImage, cacheRoot, runtimeMode, discovery, metricReceiver, metricScaler } =
  aimDefaults;

export function addAimOptions(command: Command): Command {
  return command
    .option("--aim-base-image <image>", "image for custom models without an image", baseImage)
    .option(
      "--aim-base-args <words>",
      "arguments of that image, separated by spaces; {model} is the folder of the weights, {name} the model, {port} the port",
      words,
      baseArguments,
    )
    .option("--aim-cache-root <path>", "folder in containers that contains the weights", folder, cacheRoot)
    .addOption(
      new Option("--aim-backend <what>", "what runs services: KServe if installed, or always a Deployment")
        .choices(["auto", "deployment"])
        .default(backend),
    )
    .addOption(
      new Option(
        "--aim-runtime <how>",
        "what an InferenceService of KServe contains: the name of a runtime, or the container",
      )
        .choices(["serving-runtime", "inline"])
        .default(runtimeMode),
    )
    .option("--aim-discovery-jobs <number>", "maximum number of images inspected at a time", jobs, discovery.maxJobs)
    .option("--aim-metric-receiver <host:port>", "address that pods send metrics to", address, metricReceiver)
    .option("--aim-metric-scaler <host:port>", "address that KEDA reads metrics from", address, metricScaler);
}

export function aimOptionsOf(flags: Flags, environment: Readonly<Record<string, string | undefined>>): AimOptions {
  const { AIM_OPERATOR_NAMESPACE, AIM_SYSTEM_NAMESPACE } = environment;
  // Both of the older names, so that manifests of either age do.
  const home = flags.operatorNamespace || AIM_OPERATOR_NAMESPACE || AIM_SYSTEM_NAMESPACE;
  return {
    ...aimDefaults,
    ...(home ? { operatorNamespace: home } : {}),
    baseImage: flags.aimBaseImage,
    baseArguments: flags.aimBaseArgs,
    cacheRoot: flags.aimCacheRoot,
    backend: flags.aimBackend,
    runtimeMode: flags.aimRuntime,
    weightsImage: flags.weightsImage,
    localRoots: flags.allowedHostPathRoots,
    discovery: { ...discovery, maxJobs: flags.aimDiscoveryJobs },
    metricReceiver: flags.aimMetricReceiver,
    metricScaler: flags.aimMetricScaler,
  };
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

function folder(text: string): string {
  if (!/^\/[^/]/.test(text) || text.split("/").includes(".."))
    throw new InvalidArgumentError("Expected an absolute path");
  return text.replace(/\/+$/, "");
}

function jobs(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError("Expected a whole number from 1 to 9999");
  return Number(text);
}

function address(text: string): string {
  if (!/^[^\s/:]+:\d{1,5}$/.test(text)) throw new InvalidArgumentError("Expected host:port");
  return text;
}
