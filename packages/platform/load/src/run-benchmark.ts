import {
  type BenchmarkReport,
  formatScenario,
  type RequestRecord,
  type RunReport,
  summarizeRun,
} from "@trivium/engines";
import { formatTime, isObject, Refusal } from "@trivium/std";
import { Agent, type Dispatcher } from "undici";
import { seededRandom } from "./chance.ts";
import { type LevelOutcome, runLevel } from "./run-level.ts";
import { draftRequest, sendRequest, type Target } from "./send-request.ts";
import type { Settings } from "./settings.ts";

export interface MeasuredRun {
  readonly report: RunReport;
  readonly records: readonly RequestRecord[];
}

export interface Measured {
  readonly report: BenchmarkReport;
  readonly runs: readonly MeasuredRun[];
  /** Why not all runs were made. */
  readonly brokenOff?: string;
  /** Default scenarios that the server refuses, each with its reason: mostly they exceed its context. */
  readonly refused: readonly string[];
}

export interface Context {
  readonly signal: AbortSignal;
  /** Called after each run. */
  readonly onRun: (run: RunReport) => void;
}

/** Every scenario at every concurrency, one after the other. */
export async function runBenchmark(settings: Settings, { signal, onRun }: Context): Promise<Measured> {
  const most = Math.max(...settings.concurrency);
  const dispatcher = new Agent({ connections: most, pipelining: 1, headersTimeout: settings.requestTimeoutMs });
  const startedAt = formatTime(Date.now());
  try {
    const target = await aimAt(settings, dispatcher, signal);
    await warmUp(target, settings, signal);
    const { runs, brokenOff, refused } = await runLevels(target, settings, { signal, onRun });
    const report: BenchmarkReport = {
      schema: "trivium.dev/benchmark/v1",
      url: settings.url,
      model: target.model,
      task: settings.task,
      startedAt,
      endedAt: formatTime(Date.now()),
      about: settings.about,
      runs: runs.map((run) => run.report),
    };
    return { report, runs, refused, ...(brokenOff === undefined ? {} : { brokenOff }) };
  } finally {
    await dispatcher.destroy();
  }
}

async function runLevels(
  target: Target,
  settings: Settings,
  { signal, onRun }: Context,
): Promise<Pick<Measured, "runs" | "brokenOff" | "refused">> {
  const random = seededRandom(settings.seed);
  const { maxTimeMs, maxRequests } = settings;
  const runs: MeasuredRun[] = [];
  const refused: string[] = [];
  let brokenOff: string | undefined;
  for (const scenario of settings.scenarios) {
    for (const concurrency of settings.concurrency) {
      if (signal.aborted) return { runs, refused, brokenOff: "the benchmark was stopped" };
      const outcome = await runLevel(target, { scenario, concurrency, maxTimeMs, maxRequests }, { random, signal });
      const report = summarizeRun({ scenario: formatScenario(scenario), concurrency, ...outcome });
      runs.push({ report, records: outcome.records });
      onRun(report);
      if (!outcome.isHopeless) continue;
      // More at once will not do better. Another scenario may, where the server is healthy and only refuses this one.
      const isOfScenario = isRefusal(outcome) && !isClosed(outcome);
      if (isOfScenario && settings.areDefaults) refused.push(`${report.scenario}: ${lastMessage(outcome)}`);
      else brokenOff ??= whyHopeless(outcome, report);
      if (isOfScenario) break;
      return { runs, refused, ...(brokenOff === undefined ? {} : { brokenOff }) };
    }
  }
  return { runs, refused, ...(brokenOff === undefined ? {} : { brokenOff }) };
}

const isRefusal = (outcome: LevelOutcome): boolean => (lastStatus(outcome) ?? 500) < 500;

/** A wrong key or a model that does not exist: no scenario changes that. */
const isClosed = (outcome: LevelOutcome): boolean => [401, 403, 404].includes(lastStatus(outcome) ?? 0);

function lastStatus({ records }: LevelOutcome): number | undefined {
  const last = records.at(-1);
  return last?.is === "failed" && last.kind === "http" ? (last.status ?? 0) : undefined;
}

function lastMessage({ records }: LevelOutcome): string {
  const last = records.at(-1);
  return last?.is === "failed" ? last.message : "unknown error";
}

const whyHopeless = (outcome: LevelOutcome, { scenario, concurrency }: RunReport): string =>
  `all requests failed at ${scenario} with concurrency ${concurrency}: ${lastMessage(outcome)}`;

async function warmUp(
  target: Target,
  { warmUp: times, scenarios, seed }: Settings,
  signal: AbortSignal,
): Promise<void> {
  const [scenario] = scenarios;
  const random = seededRandom(seed + 1);
  // What goes wrong here goes wrong again where it counts.
  for (let at = 0; scenario !== undefined && at < times && !signal.aborted; at += 1)
    await sendRequest(target, draftRequest(target, scenario, random), signal);
}

async function aimAt(settings: Settings, dispatcher: Dispatcher, signal: AbortSignal): Promise<Target> {
  const { url, task, api, apiKey, params, requestTimeoutMs } = settings;
  const model = settings.model ?? (await firstModel(settings, dispatcher, signal));
  return { url, model, task, api, apiKey, params, requestTimeoutMs, dispatcher, clock: () => performance.now() };
}

async function firstModel({ url, apiKey }: Settings, dispatcher: Dispatcher, signal: AbortSignal): Promise<string> {
  const path = url.endsWith("/v1") ? `${url}/models` : `${url}/v1/models`;
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  try {
    const { origin, pathname } = new URL(path);
    const { body } = await dispatcher.request({ origin, path: pathname, method: "GET", headers, signal });
    const listed: unknown = await body.json();
    const first = isObject(listed) && Array.isArray(listed.data) ? listed.data[0] : undefined;
    if (isObject(first) && typeof first.id === "string") return first.id;
  } catch (error) {
    if (error instanceof Error && "syscall" in error)
      throw new Refusal(`${url} does not respond (${error.message}); start the server, or correct --url`);
    // What is no list has no model.
  }
  throw new Refusal(`${path} lists no model; set --model`);
}
