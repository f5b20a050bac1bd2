import type { ArtifactReading, ArtifactReport, ModelHeader, WantedArtifact } from "@trivium/domain";
import type { ArtifactManager } from "@trivium/node";
import type { Cancel, Clock } from "@trivium/runtime";
import { deepEqual, type JsonObject, parseDuration } from "@trivium/std";

/** How nodes fare with the files at an address. Nothing said: they have them after a second. */
export interface GivenModel {
  /** `5s` */
  readonly takes?: string;
  /** Why no node gets them. It is tried again when the story says something else. */
  readonly fails?: string;
  /** The model's `config.json`, or the metadata of its GGUF file. */
  readonly config?: JsonObject;
  readonly gguf?: JsonObject;
  /** How large they are; nodes that fetch them say so at once. */
  readonly bytes?: number;
}
export type GivenModels = Readonly<Record<string, GivenModel>>;

type Reports = { onReport(report: ArtifactReport): void; onGone(key: string): void };

/** What the nodes of a story hold of models, played: nothing is fetched, and everybody is told as if it were. */
export class StagedModelStore {
  readonly #clock: Clock;
  readonly #keepers = new Set<StagedManager>();
  #given: GivenModels;

  constructor(given: GivenModels, clock: Clock) {
    this.#given = given;
    this.#clock = clock;
  }

  change(given: GivenModels): void {
    this.#given = { ...this.#given, ...given };
    for (const manager of this.#keepers) manager.reconsider();
  }

  managerOf(reports: Reports): ArtifactManager {
    const manager = new StagedManager(reports, { clock: this.#clock, lifecycleOf: (uri) => this.#given[uri] ?? {} });
    this.#keepers.add(manager);
    return manager;
  }
}

interface Lifecycle {
  readonly wanted: WantedArtifact;
  readonly stored: GivenModel;
  cancel: Cancel;
  /** Whether the node has all files. */
  isReady?: boolean;
}

interface Context {
  readonly clock: Clock;
  lifecycleOf(uri: string): GivenModel;
}

class StagedManager implements ArtifactManager {
  readonly #reports: Reports;
  readonly #context: Context;
  readonly #lifecycles = new Map<string, Lifecycle>();

  constructor(reports: Reports, context: Context) {
    this.#reports = reports;
    this.#context = context;
  }

  want(all: readonly WantedArtifact[]): void {
    const keys = new Set(all.map(({ key }) => key));
    for (const { wanted } of [...this.#lifecycles.values()]) if (!keys.has(wanted.key)) this.#drop(wanted.key);
    for (const wanted of all) this.#see(wanted);
  }

  release({ key }: WantedArtifact): void {
    this.#drop(key);
  }

  reconsider(): void {
    for (const { wanted } of [...this.#lifecycles.values()]) this.#see(wanted);
  }

  async stop(): Promise<void> {
    for (const { cancel } of this.#lifecycles.values()) cancel();
  }

  #drop(key: string): void {
    this.#lifecycles.get(key)?.cancel();
    this.#lifecycles.delete(key);
    this.#reports.onGone(key);
  }

  #see(wanted: WantedArtifact): void {
    const { clock, lifecycleOf } = this.#context;
    const { key, source, path } = wanted;
    const stored = lifecycleOf(source.is === "fetched" ? source.uri : path);
    const before = this.#lifecycles.get(key);
    if (before !== undefined && deepEqual(before.wanted, wanted) && deepEqual(before.stored, stored)) return;
    const isSame = before !== undefined && deepEqual(withoutPermit(before.wanted), withoutPermit(wanted));
    if (isSame && before.isReady && deepEqual(before.stored, stored)) {
      this.#lifecycles.set(key, { ...before, wanted });
      return;
    }
    before?.cancel();
    if (source.is === "fetched" && wanted.permit !== undefined) {
      this.#list(wanted, stored);
      return;
    }
    const takes = source.is === "fetched" ? (parseDuration(stored.takes ?? "1s") ?? 0) : 0;
    const cancel = clock.schedule(takes, () => this.#end(key));
    this.#lifecycles.set(key, { wanted, stored, cancel });
    const total = takes > 0 ? stored.bytes : undefined;
    const progress = total === undefined ? {} : { progress: { bytes: 0, total, rate: 0, at: clock.now() } };
    if ((before !== undefined && !isSame) || total !== undefined)
      this.#reports.onReport({ key, is: "updating", ...listedOf(stored), ...progress });
  }

  /** Nothing is downloaded before it is permitted. */
  #list(wanted: WantedArtifact, stored: GivenModel): void {
    const { key } = wanted;
    this.#lifecycles.set(key, { wanted, stored, cancel: () => undefined });
    if (stored.fails !== undefined) this.#reports.onReport({ key, is: "failed", why: stored.fails });
    else this.#reports.onReport({ key, is: "updating", ...listedOf(stored) });
  }

  #end(key: string): void {
    const lifecycle = this.#lifecycles.get(key);
    if (lifecycle === undefined) return;
    const report = endOf(lifecycle.wanted, lifecycle.stored);
    lifecycle.isReady = report.is === "ready";
    this.#reports.onReport(report);
  }
}

const withoutPermit = ({ permit: _, ...wanted }: WantedArtifact): WantedArtifact => wanted;

const listedOf = ({ bytes }: GivenModel): Pick<Extract<ArtifactReport, { is: "updating" }>, "listed"> => ({
  listed: [{ path: "model.safetensors", ...(bytes === undefined ? {} : { bytes }) }],
});

function endOf({ key, source }: WantedArtifact, stored: GivenModel): ArtifactReport {
  if (source.is === "refused") return { key, is: "failed", why: source.why };
  if (stored.fails !== undefined) return { key, is: "failed", why: stored.fails };
  const read = readingOf(stored);
  return { key, is: "ready", ...(read === undefined ? {} : { read }), ...(stored.bytes ? listedOf(stored) : {}) };
}

function readingOf({ config, gguf, bytes }: GivenModel): ArtifactReading | undefined {
  if (config === undefined && gguf === undefined) return undefined;
  const tensors = bytes === undefined ? {} : { tensors: { count: 0, elements: 0, bytes } };
  const header = {
    format: "gguf",
    version: 3,
    byteOrder: "little",
    files: 1,
    tensorCount: 0,
    warnings: [],
    ...tensors,
  };
  const models = gguf === undefined ? [] : [{ path: "model.gguf", header: { ...header, metadata: gguf } }];
  return { models: models as { path: string; header: ModelHeader }[], config, problems: [] };
}
