import { createClient, httpTransport } from "@trivium/client";
import {
  imageConfig,
  localDigest,
  localFile,
  modelHeader,
  registryRepositories,
  registryTags,
  repositoryFiles,
  sourceHead,
} from "@trivium/domain";
import { apiAnswers } from "@trivium/explain";
import { ApiError, type KubeClient, redact } from "@trivium/kube";
import { createDialects, dialects, dialectsBehind, type RunRecord, recordBehind } from "@trivium/local";
import { localFileAnswers, modelSourceAnswers, registryAnswers } from "@trivium/probes";
import type { Answered } from "@trivium/reconcile";
import type { SnapshotAnswer } from "@trivium/runtime";
import { Refusal } from "@trivium/std";
import { type AccessOptions, accessOf, homesOf, refusalOf } from "../access.ts";
import { nameOfFile, readPlaced } from "../facts/documents.ts";
import type { Facts } from "../facts/facts.ts";
import { readFacts, saveFacts } from "../facts/file.ts";
import { answersIn } from "../facts/shadow.ts";
import { announce } from "../screen.ts";
import { modelReading, modelReadingAnswer } from "./assumed/index.ts";
import { NotAmongFacts } from "./gate.ts";
import { concernedDialects, kindsOf } from "./kinds-of.ts";
import { readLive } from "./live-facts.ts";
import { printPlan } from "./print.ts";
import { refuseUnserved } from "./served.ts";
import { type SimulationInput, simulate } from "./simulate.ts";
import { type PlanSummary, summarizePlan } from "./summary.ts";

export interface PlanOptions extends AccessOptions {
  readonly filename: readonly string[];
  readonly output: "text" | "json";
  /** Plans on saved facts instead of a cluster. */
  readonly facts?: string;
  /** Writes the state of the cluster that the plan is based on. */
  readonly save?: string;
}

/** 2 where applying would change something, as `diff` and other planners have it; 1 is for errors. */
export const changesExitCode = 2;

export interface PlanResult {
  readonly text: string;
  readonly exitCode: number;
}

/** What applying manifests would do, without doing it. */
export async function plan(options: PlanOptions): Promise<PlanResult> {
  const files = readPlaced(options.filename);
  if (files.length === 0) throw new Refusal(`${options.filename.map(nameOfFile).join(", ")} has no objects`);
  announce("Planning …");
  const wanted = {
    manifests: files.map(({ object }) => object),
    places: new Map(files.map(({ object, place }) => [object, place])),
  };
  const summary =
    options.facts === undefined ? await planLive(wanted, options) : await planOn(options.facts, wanted, options);
  const exitCode = summary.changes.length === 0 ? 0 : changesExitCode;
  // Diffs show values, and some of those are credentials.
  const shown = redact(summary);
  const text = options.output === "json" ? `${JSON.stringify(shown, null, 2)}\n` : printPlan(shown);
  return { text, exitCode };
}

type Wanted = Pick<SimulationInput, "manifests" | "places">;

async function planLive(wanted: Wanted, options: PlanOptions): Promise<PlanSummary> {
  const { manifests } = wanted;
  const access = await accessOf(options);
  const { namespace = access.namespace } = options;
  const transport = httpTransport({ ...access, connections: 6 });
  const homes = homesOf(options);
  const served = dialectsBehind(access.server, homes);
  // What is saved is for other manifests too.
  const behind = options.save === undefined ? concernedDialects(manifests, served) : served;
  try {
    const client = createClient(transport);
    const namespaces = [...new Set([namespace, ...manifests.flatMap(({ metadata }) => metadata?.namespace ?? [])])];
    const record = recordBehind(access.server, homes);
    await refuseUnserved(client, wanted, { dialects: behind, run: record?.dialects });
    const live = await readLive(client, { dialects: behind, kinds: kindsOf(manifests, behind), namespaces });
    const facts = { ...live, options: record?.options };
    const answers = outsideAnswers(client, record);
    const { summary, given } = await summarize({
      ...wanted,
      facts,
      namespace,
      dialects: behind,
      answers,
      secrets: client,
    });
    if (options.save !== undefined)
      saveFacts(options.save, { ...facts, namespace, answers: given.filter(isFromOutside) });
    return summary;
  } catch (error) {
    if (error instanceof ApiError) throw refusalOf(error, access, options);
    throw error;
  } finally {
    await transport.close();
  }
}

async function planOn(path: string, wanted: Wanted, options: PlanOptions): Promise<PlanSummary> {
  const facts = readFacts(path, Date.now());
  const { namespace = facts.namespace ?? facts.subject?.namespace ?? "default" } = options;
  const saved = facts.options === undefined ? dialects : createDialects(facts.options);
  const concerned = concernedDialects(wanted.manifests, saved);
  return (await summarize({ ...wanted, facts, namespace, dialects: concerned, answers: savedAnswers(facts) })).summary;
}

/** What the API answers is asked of its copy; of the world outside only what was saved is known. */
export function savedAnswers(facts: Facts): SimulationInput["answers"] {
  const recorded = answersIn(facts, () => new NotAmongFacts());
  const names = new Set(recorded.map(({ query }) => query.name));
  return (client) => [
    ...recorded,
    ...[...apiAnswers(client), ...silence].filter(({ query }) => !names.has(query.name)),
  ];
}

interface Summarized {
  readonly summary: PlanSummary;
  readonly given: readonly SnapshotAnswer[];
}

async function summarize(input: SimulationInput): Promise<Summarized> {
  const simulation = await simulate(input);
  try {
    const summary = await summarizePlan(simulation, input);
    return { summary, given: [...simulation.asked.given.values()] };
  } finally {
    await simulation.close();
  }
}

/** The world as the control plane of this machine would ask it, with the caller's own network and logins. */
export function outsideAnswers(live: KubeClient, record: Partial<RunRecord> = {}): SimulationInput["answers"] {
  const localRoots = record.folders ?? [];
  const sources = { environment: process.env, addresses: "any", localRoots, now: Date.now } as const;
  const [now, environment] = [Date.now, process.env];
  // Logs are those of real pods; which kinds are served, and what warns of objects, the copy knows as well.
  return () => [
    ...localFileAnswers(localRoots, now),
    ...modelSourceAnswers(sources),
    modelReadingAnswer({ environment, localRoots }),
    ...registryAnswers({ client: live, environment, addresses: "any", now }),
    ...apiAnswers(live),
  ];
}

/** Everything that only the world outside knows. */
const outside = [
  ...[sourceHead, repositoryFiles, modelHeader, localFile, localDigest],
  ...[imageConfig, registryTags, registryRepositories, modelReading],
] as readonly unknown[] as readonly Answered["query"][];

const isFromOutside = (one: SnapshotAnswer): boolean => outside.some(({ name }) => name === one.query);

const silence: readonly Answered[] = outside.map((query) => ({
  query,
  answer: () => Promise.reject(new NotAmongFacts()),
}));
