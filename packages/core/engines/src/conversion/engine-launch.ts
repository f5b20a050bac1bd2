import type { PortableEngine, PortableService } from "@trivium/domain";

/** How an engine is started: the arguments for what every API has a field of its own for. The first name is the one to write. */
interface EngineLaunch {
  readonly engine: Exclude<PortableEngine, "generic">;
  /** Part of the name of its images. */
  readonly images: RegExp;
  readonly image: string;
  readonly model: readonly string[];
  readonly servedName: readonly string[];
  readonly context: readonly string[];
  readonly parallel: readonly string[];
  readonly toolCalls?: string;
  /** What makes it report its figures, where it does not without. */
  readonly metrics?: string;
  /** What says where it listens. */
  readonly address: readonly string[];
}

const launches: readonly EngineLaunch[] = [
  {
    engine: "llamacpp",
    images: /llama[._-]?cpp|llama-server/i,
    image: "ghcr.io/ggml-org/llama.cpp:server",
    model: ["--model", "-m"],
    servedName: ["--alias", "-a"],
    context: ["--ctx-size", "-c"],
    parallel: ["--parallel", "-np"],
    toolCalls: "--jinja",
    metrics: "--metrics",
    address: ["--host", "--port"],
  },
  {
    engine: "vllm",
    images: /vllm/i,
    image: "vllm/vllm-openai:latest",
    model: ["--model"],
    servedName: ["--served-model-name"],
    context: ["--max-model-len"],
    parallel: ["--max-num-seqs"],
    address: ["--host", "--port"],
  },
  {
    engine: "sglang",
    images: /sglang/i,
    image: "lmsysorg/sglang:latest",
    model: ["--model-path", "--model"],
    servedName: ["--served-model-name"],
    context: ["--context-length"],
    parallel: ["--max-running-requests"],
    address: ["--host", "--port"],
  },
  {
    engine: "tgi",
    images: /text-generation-inference/i,
    image: "ghcr.io/huggingface/text-generation-inference:latest",
    model: ["--model-id"],
    servedName: ["--served-model-name"],
    context: ["--max-total-tokens"],
    parallel: ["--max-concurrent-requests"],
    address: ["--hostname", "--port"],
  },
];

/** The usual image of an engine. That of llama.cpp is built for one kind of device, which the name of the resource tells. */
export function imageOfEngine(engine: PortableEngine, gpuResource: string | undefined): string | undefined {
  const image = launchOf(engine)?.image;
  if (engine !== "llamacpp" || gpuResource === undefined) return image;
  return `${image}${llamaBuilds.find(([vendor]) => vendor.test(gpuResource))?.[1] ?? ""}`;
}

const llamaBuilds: readonly (readonly [RegExp, string])[] = [
  [/^nvidia\.com\//, "-cuda"],
  [/^amd\.com\//, "-rocm"],
  [/^gpu\.intel\.com\//, "-intel"],
];

export const launchOf = (engine: PortableEngine): EngineLaunch | undefined =>
  launches.find((one) => one.engine === engine);

/** The engine of an image, by its name. */
export const engineOfImage = (image: string): PortableEngine =>
  launches.find(({ images }) => images.test(image))?.engine ?? "generic";

/** The arguments of an engine, those with a field of their own apart from the rest. */
export interface ParsedLaunch {
  /** The file of a folder of weights, where the argument names one. */
  readonly file?: string;
  readonly servedName?: string;
  readonly contextTokens?: number;
  readonly parallelRequests?: number;
  readonly toolCalls?: true;
  readonly args: readonly string[];
}

export function parseLaunch(engine: PortableEngine, args: readonly string[]): ParsedLaunch {
  const launch = launchOf(engine);
  if (launch === undefined) return { args };
  const rest = [...args];
  const value = (names: readonly string[]) => takeValue(rest, names, () => true);
  const [, file] = /^\$\(MODEL_PATH\)\/(.+)$/.exec(value(launch.model) ?? "") ?? [];
  for (const name of launch.address) value([name]);
  if (launch.metrics !== undefined) takeSwitch(rest, launch.metrics);
  const servedName = value(launch.servedName);
  return {
    ...(servedName === undefined || servedName.includes("$(") ? {} : { servedName }),
    ...(file === undefined ? {} : { file }),
    ...parseSettings(engine, rest),
  };
}

/** The same for arguments that come in addition to those for model, name and address. */
export function parseSettings(
  engine: PortableEngine,
  args: readonly string[],
): Omit<ParsedLaunch, "servedName" | "file"> {
  const launch = launchOf(engine);
  if (launch === undefined) return { args };
  const rest = [...args];
  const contextTokens = takeValue(rest, launch.context, isCount);
  const parallelRequests = takeValue(rest, launch.parallel, isCount);
  const toolCalls = launch.toolCalls !== undefined && takeSwitch(rest, launch.toolCalls);
  return {
    ...(contextTokens === undefined ? {} : { contextTokens: Number(contextTokens) }),
    ...(parallelRequests === undefined ? {} : { parallelRequests: Number(parallelRequests) }),
    ...(toolCalls ? { toolCalls } : {}),
    args: rest,
  };
}

type StatedLaunch = Pick<PortableService, "servedName" | "contextTokens" | "parallelRequests" | "toolCalls">;

/** The arguments of an engine for what is stated, by what states it. */
export function formatLaunch(
  engine: PortableEngine,
  stated: StatedLaunch,
): Partial<Record<keyof StatedLaunch, string[]>> {
  const launch = launchOf(engine);
  if (launch === undefined) return {};
  const words = {
    servedName: [launch.servedName[0], stated.servedName],
    contextTokens: [launch.context[0], stated.contextTokens],
    parallelRequests: [launch.parallel[0], stated.parallelRequests],
    toolCalls: [stated.toolCalls && launch.toolCalls],
  };
  const whole = Object.entries(words).filter(([, list]) => list.every((word) => word !== undefined));
  return Object.fromEntries(whole.map(([key, list]) => [key, list.map(String)]));
}

/** Takes `--name value` or `--name=value` out of a list; the last one counts, as engines have it. */
function takeValue(args: string[], names: readonly string[], accepts: (value: string) => boolean): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < args.length; ) {
    const [name = "", ...inline] = (args[at] ?? "").split("=");
    const value = inline.length > 0 ? inline.join("=") : args[at + 1];
    if (names.includes(name) && value !== undefined && accepts(value)) {
      found = value;
      args.splice(at, inline.length > 0 ? 1 : 2);
    } else at += 1;
  }
  return found;
}

function takeSwitch(args: string[], name: string): boolean {
  const at = args.indexOf(name);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
}

const isCount = (text: string): boolean => /^\d{1,9}$/.test(text);
