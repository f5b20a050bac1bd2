import { parseArgs } from "node:util";
import {
  type BenchmarkTask,
  benchmarkTasks,
  defaultConcurrency,
  defaultScenariosOf,
  readScenario,
  type Scenario,
} from "@trivium/engines";
import { isObject, type JsonObject, parseDuration, Refusal } from "@trivium/std";

export const usage = `trivium bench SERVICE [options]
trivium bench --url URL [options]
  --url URL             server to measure instead of a service, such as http://127.0.0.1:8080
  --model NAME          model to request (default: the first one that the server lists)
  --task TASK           ${benchmarkTasks.join(", ")} (default: text-to-text)
  --api API             chat or completions, for text-to-text (default: chat)
  --scenario S          shape of the requests, such as D(100,100); repeatable (default: five shapes; those that exceed the context are reported as refused)
  --concurrency N,N     numbers of parallel requests
  --max-time TIME       maximum duration of each scenario and concurrency, such as 90s (default: 1m)
  --max-requests N      maximum number of requests of each scenario and concurrency (default: 100)
  --request-timeout T   maximum duration of a request (default: 10m)
  --warm-up N           number of requests before the measurement (default: 1)
  --params JSON         fields to add to the body of each request
  --about KEY=VALUE     note to store with the results; repeatable
  --seed N              seed of the generated requests
  --output DIR          folder for results.json, report.html and runs/
  --summary FILE        file for the summary as one line of JSON
  --json                print the summary as JSON instead of text
The API key of the server is read from MODEL_API_KEY or OPENAI_API_KEY.`;

export interface Settings {
  readonly url: string;
  readonly model: string | undefined;
  readonly task: BenchmarkTask;
  readonly api: "chat" | "completions";
  readonly scenarios: readonly Scenario[];
  /** Scenarios that nobody chose: a server can be too small for some of them. */
  readonly areDefaults: boolean;
  readonly concurrency: readonly number[];
  readonly maxTimeMs: number;
  readonly maxRequests: number;
  readonly requestTimeoutMs: number;
  readonly warmUp: number;
  readonly params: JsonObject;
  readonly about: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly apiKey: string | undefined;
  readonly output: string | undefined;
  readonly summary: string | undefined;
  readonly format: "text" | "json";
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the command line, or says in one line what is wrong with it. */
export function readSettings(args: readonly string[], environment: Environment): Settings {
  const given = readFlags(args);
  const task = given.task ?? "text-to-text";
  if (!isTask(task)) throw new Refusal(`unknown --task ${task}; use one of ${benchmarkTasks.join(", ")}`);
  if (task.startsWith("image"))
    throw new Refusal(`--task ${task} needs images, which only the genai-bench image can send; use a text task`);
  const api = given.api ?? "chat";
  if (api !== "chat" && api !== "completions") throw new Refusal(`unknown --api ${api}; use chat or completions`);
  return {
    url: urlOf(given.url),
    model: given.model || undefined,
    task,
    api,
    scenarios: scenariosOf(given.scenario ?? [], task),
    areDefaults: given.scenario === undefined,
    concurrency: concurrencyOf(given.concurrency ?? []),
    maxTimeMs: millisOf("--max-time", given["max-time"] ?? "1m"),
    maxRequests: countOf("--max-requests", given["max-requests"] ?? "100", 1),
    requestTimeoutMs: millisOf("--request-timeout", given["request-timeout"] ?? "10m"),
    warmUp: countOf("--warm-up", given["warm-up"] ?? "1", 0),
    params: paramsOf(given.params),
    about: Object.fromEntries((given.about ?? []).map(aboutOf)),
    seed: countOf("--seed", given.seed ?? "1", 0),
    apiKey: environment.MODEL_API_KEY || environment.OPENAI_API_KEY || undefined,
    output: given.output,
    summary: given.summary ?? environment.TRIVIUM_BENCH_SUMMARY,
    format: given.json === true ? "json" : "text",
  };
}

function readFlags(args: readonly string[]) {
  const one = { type: "string" } as const;
  const many = { type: "string", multiple: true } as const;
  const options = {
    ...{ url: one, model: one, task: one, api: one, scenario: many, concurrency: many, params: one, about: many },
    ...{ "max-time": one, "max-requests": one, "request-timeout": one, "warm-up": one, seed: one },
    ...{ output: one, summary: one, json: { type: "boolean" } as const },
  };
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : String(error));
  }
}

const isTask = (text: string): text is BenchmarkTask => (benchmarkTasks as readonly string[]).includes(text);

function urlOf(text: string | undefined): string {
  if (text === undefined)
    throw new Refusal("no server to measure; name a service, or set --url, such as http://127.0.0.1:8080");
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new Refusal("--url must start with http:// or https://");
  const { username, password } = new URL(text);
  if (username !== "" || password !== "") throw new Refusal("--url must not contain credentials; set MODEL_API_KEY");
  return text.replace(/\/+$/, "");
}

function scenariosOf(given: readonly string[], task: BenchmarkTask): Scenario[] {
  return (given.length > 0 ? given : defaultScenariosOf(task)).map((text) => {
    const read = readScenario(text, task);
    if (read.is === "faulty") throw new Refusal(`--scenario ${read.why}`);
    return read.scenario;
  });
}

function concurrencyOf(given: readonly string[]): readonly number[] {
  const words = given.flatMap((text) => text.split(","));
  return words.length === 0 ? defaultConcurrency : words.map((word) => countOf("--concurrency", word, 1));
}

const most = 1_000_000;

function countOf(flag: string, text: string, least: number): number {
  const count = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(count >= least && count <= most))
    throw new Refusal(`${flag} ${text}: expected a number from ${least} to ${most}`);
  return count;
}

function millisOf(flag: string, text: string): number {
  const millis = parseDuration(text);
  if (millis === undefined || millis <= 0) throw new Refusal(`${flag} ${text}: expected a duration such as 90s or 5m`);
  return Math.min(millis, 2 ** 31 - 1);
}

function paramsOf(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // Said below.
  }
  throw new Refusal("--params must be a JSON object");
}

function aboutOf(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new Refusal(`--about ${text}: expected KEY=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
}
