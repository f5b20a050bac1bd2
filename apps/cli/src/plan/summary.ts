import {
  type Explanation,
  type RepositoryListing,
  repositoryFiles,
  type ServingDialect,
  type SourceRefusal,
} from "@trivium/domain";
import { apiAnswers, explainDecision } from "@trivium/explain";
import { type AnyObject, type DefinedKind, Job } from "@trivium/kube";
import { standingOf } from "../explain/state.ts";
import type { Facts } from "../facts/facts.ts";
import { findLocalImages, hasEnded } from "./assumed/index.ts";
import { compareStates, type PlannedChange, type PlannedObject } from "./difference.ts";
import type { Simulation } from "./simulate.ts";

/** What applying manifests would do, and what it takes. */
export interface PlanSummary {
  readonly changes: readonly PlannedChange[];
  readonly services: readonly PlannedService[];
  readonly downloads: readonly PlannedDownload[];
  /** Claims that would be created. */
  readonly claims: readonly { readonly name: string; readonly size: string }[];
  /** What keeps it from serving, each with what to do. */
  readonly missing: readonly string[];
  /** What could not be found out, with the reason: the plan ends there. */
  readonly unknown: readonly { readonly about: string; readonly why: string }[];
}

export interface PlannedService extends Explanation {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface PlannedDownload {
  readonly source: string;
  readonly bytes?: number | undefined;
  readonly why?: string | undefined;
}

export interface SummaryContext {
  readonly facts: Facts;
  readonly manifests: readonly AnyObject[];
  readonly dialects: readonly ServingDialect[];
}

export async function summarizePlan(simulation: Simulation, context: SummaryContext): Promise<PlanSummary> {
  const { before, after, started, asked, unchecked } = simulation;
  const changes = compareStates(before, after);
  const isTouched = ({ kind, object }: PlannedObject): boolean =>
    [...changes, ...context.manifests.map(headOf)].some(
      (one) => one.kind === kind.kind && one.name === object.metadata.name,
    );
  const own = after.filter((one) => context.dialects.some(({ kinds }) => kinds.includes(one.kind as DefinedKind)));
  const owners = after.filter(isTouched).flatMap(({ object }) => object.metadata.ownerReferences ?? []);
  const touched = own.filter((one) => isTouched(one) || owners.some(({ uid }) => uid === one.object.metadata.uid));
  const downloads = await findDownloads(simulation, touched, context);
  const services = await explainServices(simulation, touched, context);
  // A result that no service waits for is not part of a plan.
  const created = services.length === 0 ? [] : after.filter((one) => !before.some(isSame(one)));
  const local = findLocalImages(started);
  return {
    changes,
    services,
    downloads,
    claims: after.filter(isTouched).flatMap((one) => (before.some(isSame(one)) ? [] : claimOf(one))),
    missing: missingIn(touched.map((one) => (started.find(isSame(one)) ?? one).object)),
    unknown: [
      ...[...asked.unanswered, ...unchecked]
        .filter(([about]) => !local.has(about))
        .map(([about, why]) => ({ about, why })),
      ...created.flatMap(unfinishedJob),
    ],
  };
}

const headOf = ({ kind, metadata }: AnyObject) => ({ kind, name: metadata?.name ?? "" });
const isSame =
  ({ kind, object }: PlannedObject) =>
  (other: PlannedObject): boolean =>
    other.kind.kind === kind.kind &&
    other.object.metadata.name === object.metadata.name &&
    other.object.metadata.namespace === object.metadata.namespace;

/** The choice and the memory of each service, from the decision itself; as of before, when the choice was not made yet. */
async function explainServices(
  { client, asked, before }: Simulation,
  touched: readonly PlannedObject[],
  { dialects, facts }: SummaryContext,
): Promise<PlannedService[]> {
  const services = touched.filter(({ kind }) => dialects.some(({ serviceKind }) => serviceKind === kind));
  return Promise.all(
    services.map(async (one) => {
      const { kind, object } = one;
      const status = before.find(isSame(one))?.object.status;
      const answers = [...asked.answers, ...apiAnswers(client)];
      const by = { kind: kind as DefinedKind, dialects, answers, now: facts.now };
      const { explanation } = await explainDecision(client, { ...object, status } as AnyObject, by);
      const { namespace = "", name = "" } = object.metadata;
      return { kind: kind.kind, namespace, name, ...explanation };
    }),
  );
}

/** Weights of objects that are new, or that name other weights than before. */
async function findDownloads(
  { before, asked }: Simulation,
  touched: readonly PlannedObject[],
  { dialects }: SummaryContext,
): Promise<PlannedDownload[]> {
  const weightsOf = ({ object }: PlannedObject) =>
    dialects.map((dialect) => dialect.weightsOf(object as never)).find((one) => one !== undefined);
  const wanted = touched.flatMap((one) => {
    const weights = weightsOf(one);
    const was = before.find(isSame(one));
    const isKept = was !== undefined && weightsOf(was)?.source === weights?.source;
    return weights === undefined || isKept ? [] : [weights];
  });
  const distinct = [...new Map(wanted.map((one) => [one.source, one])).values()];
  return Promise.all(
    distinct.map(async ({ source, files }): Promise<PlannedDownload> => {
      const uri = uriOf(source);
      const found = await asked.find(repositoryFiles, { uri });
      return {
        source,
        ...(found === undefined ? { why: asked.unanswered.get(uri) ?? "not found" } : sizeOf(found, files)),
      };
    }),
  );
}

const uriOf = (source: string): string => (/^[\w.-]+\/[\w.-]+$/.test(source) ? `hf://${source}` : source);

function sizeOf(found: RepositoryListing | SourceRefusal, files: readonly string[]): Omit<PlannedDownload, "source"> {
  if ("refused" in found) return { why: found.why };
  const wanted = found.files.filter(({ path }) => files.length === 0 || files.includes(path));
  if (wanted.some(({ bytes }) => bytes === undefined)) return { why: "the source does not report the size" };
  return { bytes: wanted.reduce((sum, { bytes = 0 }) => sum + bytes, 0) };
}

/** A Job of a dialect whose result only its pod can find out. */
function unfinishedJob({ kind, object }: PlannedObject): { about: string; why: string }[] {
  if (kind.kind !== Job.kind || hasEnded(object as Pick<Job, "status">)) return [];
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
  const about = owner === undefined ? `Job ${object.metadata.name}` : `${owner.kind} ${owner.name}`;
  return [{ about, why: `Job ${object.metadata.name} finds it out when it runs` }];
}

function claimOf({ kind, object }: PlannedObject): { name: string; size: string }[] {
  if (kind.kind !== "PersistentVolumeClaim") return [];
  const { resources } = (object.spec ?? {}) as { resources?: { requests?: { storage?: string } } };
  return [{ name: object.metadata.name ?? "", size: resources?.requests?.storage ?? "unknown" }];
}

/** Each cause once, with the object that reports it first. */
function missingIn(objects: readonly AnyObject[]): string[] {
  const causes = new Map<string, string>();
  for (const object of objects) {
    const { is, why } = standingOf(object);
    if (is !== "failed" || why === undefined || causes.has(why)) continue;
    causes.set(why, `${object.kind} ${object.metadata.name}: ${why}`);
  }
  return [...causes.values()];
}
