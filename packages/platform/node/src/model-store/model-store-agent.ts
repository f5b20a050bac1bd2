import type { ArtifactReport, WantedArtifact } from "@trivium/domain";
import { ConfigMap, isReason, type Kind, type KubeClient, type KubeObject, Node } from "@trivium/kube";
import { type Clock, systemClock, waitFor } from "@trivium/runtime";
import { deepEqual, type Millis } from "@trivium/std";
import { follow } from "../follow.ts";

/** What holds files on this machine. */
export interface ArtifactManager {
  /** `leftovers` are what was held before and is in nobody's wish; they are kept as long as not all wishes are known. */
  want(all: readonly WantedArtifact[], leftovers: "clear" | "keep"): void;
  release(wanted: WantedArtifact): void;
  stop(): Promise<void>;
}

/** How objects of an API become wishes, and reports become what a node says of itself. Pure. */
export interface ModelStoreApi<O extends KubeObject = KubeObject> {
  readonly kinds: readonly Kind<O>[];
  /** What this node should hold, and what it must not hold any more although the object is still there. */
  requestsOf(object: O, node: Node): Request;
  /** What the node says of all it holds: its labels, and the entries of its ConfigMap. */
  describe(held: readonly StoredModel<O>[]): { readonly labels: Labels; readonly data: Labels };
  /** The ConfigMap of a node, without its entries. */
  reportOf(node: string): ConfigMap;
}

export type Request =
  | { readonly is: "wanted"; readonly artifact: WantedArtifact }
  | { readonly is: "unwanted"; readonly artifact: WantedArtifact }
  | { readonly is: "none" };

export interface StoredModel<O extends KubeObject = KubeObject> {
  readonly object: O;
  readonly report: ArtifactReport;
}

type Labels = Readonly<Record<string, string>>;

export interface ModelStoreAgentOptions<O extends KubeObject> {
  readonly client: KubeClient;
  readonly node: string;
  readonly api: ModelStoreApi<O>;
  /** Made with where to report to. */
  managerOf(reports: { onReport(report: ArtifactReport): void; onGone(key: string): void }): ArtifactManager;
  readonly clock?: Clock;
  /** Between two writes of what the node says, longer the more it is; what is heard meanwhile goes into one. */
  readonly pause?: Millis;
  onError(what: string, error: unknown): void;
}

const fieldManager = "trivium-node-agent";

/**
 * Follows the objects that want files on this machine, hands the wishes to a keeper, and writes what it reports to the Node's labels and to
 * a ConfigMap of the node. Both are applied whole, so that what is not said any more goes, and what others took away comes back.
 */
export class ModelStoreAgent<O extends KubeObject> {
  readonly #options: ModelStoreAgentOptions<O>;
  readonly #clock: Clock;
  readonly #manager: ArtifactManager;
  readonly #stopping = new AbortController();
  readonly #objects = new Map<string, O>();
  readonly #reports = new Map<string, { artifact: WantedArtifact; object: O; report: ArtifactReport | undefined }>();
  #node: Node | undefined;
  #report: ConfigMap | undefined;
  /** Kinds that were seen as a whole, and kinds that the server does not have: their wishes are none, as far as one can know. */
  readonly #listed = new Set<string>();
  readonly #unserved = new Set<string>();
  /** What an agent before this one said; nothing until it is known. */
  #inherited: Set<string> | undefined;
  /** The labels that this agent has given to the node. */
  readonly #labels = new Set<string>();
  #tasks: Promise<void>[] = [];
  #writing: Promise<void> | undefined;
  #isDirty = false;

  constructor(options: ModelStoreAgentOptions<O>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#manager = options.managerOf({
      onReport: (report) => this.#heard(report),
      onGone: (key) => this.#forgot(key),
    });
  }

  start(): void {
    const { client, api, node, onError } = this.#options;
    const { signal } = this.#stopping;
    const source = {
      client,
      clock: this.#clock,
      onError: (error: unknown) => onError("watch of models failed", error),
    };
    this.#tasks = [
      ...api.kinds.map((kind) => follow({ ...source, kind, ...this.#objectsOf(kind) }, signal)),
      follow({ ...source, kind: Node, fieldSelector: `metadata.name=${node}`, ...this.#nodeItself() }, signal),
      follow({ ...source, kind: ConfigMap, ...this.#reportSelection(), ...this.#reportItself() }, signal),
    ];
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#manager.stop();
    await Promise.all(this.#tasks);
    await this.#writing;
  }

  /** What keeps it from its work; nothing when it can do it. */
  findObstacle(): string | undefined {
    if (!this.#hasSeenAll()) return "caches are not synced yet";
    return this.#node === undefined ? `Node ${this.#options.node} not found` : undefined;
  }

  /** Resolves when the server knows all that is known here. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #objectsOf(kind: Kind<O>) {
    const keyOf = (object: O): string =>
      `${kind.plural}/${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
    return {
      onList: (objects: readonly O[]) => {
        for (const key of [...this.#objects.keys()]) if (key.startsWith(`${kind.plural}/`)) this.#objects.delete(key);
        for (const object of objects) this.#objects.set(keyOf(object), object);
        this.#listed.add(kind.plural);
        this.#unserved.delete(kind.plural);
        this.#consider();
      },
      onError: (error: unknown) => {
        const isUnserved = isReason(error, "NotFound") && !this.#listed.has(kind.plural);
        if (isUnserved && this.#unserved.has(kind.plural)) return;
        this.#options.onError(`watch of ${kind.plural} failed`, error);
        if (!isUnserved) return;
        this.#unserved.add(kind.plural);
        this.#consider();
      },
      onChange: (object: O) => {
        this.#objects.set(keyOf(object), object);
        this.#consider();
      },
      onGone: (object: O) => {
        this.#objects.delete(keyOf(object));
        this.#consider();
      },
    };
  }

  #nodeItself() {
    const see = (node: Node | undefined): void => {
      this.#node = node;
      this.#consider();
      this.#tell();
    };
    return { onList: ([node]: readonly Node[]) => see(node), onChange: see, onGone: () => see(undefined) };
  }

  #reportItself() {
    const see = (report: ConfigMap | undefined): void => {
      this.#report = report;
      if (this.#inherited === undefined) {
        this.#inherited = new Set(Object.keys(report?.data ?? {}));
        this.#consider();
      }
      this.#tell();
    };
    return { onList: ([report]: readonly ConfigMap[]) => see(report), onChange: see, onGone: () => see(undefined) };
  }

  /** In its namespace only: an agent needs no right to look at the ConfigMaps of others. */
  #reportSelection(): { readonly fieldSelector: string; readonly namespace?: string } {
    const { name, namespace } = this.#options.api.reportOf(this.#options.node).metadata;
    return { fieldSelector: `metadata.name=${name}`, ...(namespace === undefined ? {} : { namespace }) };
  }

  /** Nothing is decided before all was seen once: what is not known yet is not unwanted. */
  #consider(): void {
    const { api } = this.#options;
    const node = this.#node;
    if (node === undefined || !this.#hasSeenAll()) return;
    const wanted: WantedArtifact[] = [];
    const unwanted: WantedArtifact[] = [];
    for (const object of this.#objects.values()) {
      const request = api.requestsOf(object, node);
      if (request.is === "wanted") wanted.push(this.#note(object, request.artifact));
      else if (request.is === "unwanted" && this.#isSaid(object, request.artifact)) unwanted.push(request.artifact);
    }
    // What others want first, so that nothing of theirs is cleared away.
    this.#manager.want(wanted, this.#unserved.size === 0 ? "clear" : "keep");
    for (const artifact of unwanted) this.#manager.release(artifact);
  }

  #hasSeenAll(): boolean {
    const { kinds } = this.#options.api;
    return (
      this.#inherited !== undefined &&
      kinds.every(({ plural }) => this.#listed.has(plural) || this.#unserved.has(plural))
    );
  }

  #note(object: O, wanted: WantedArtifact): WantedArtifact {
    const known = this.#reports.get(wanted.key);
    const artifact = keepPermit(known?.artifact, wanted);
    // One that nobody spoke of before is under way from now on.
    const isNew = known === undefined && this.#inherited?.has(artifact.key) !== true;
    const report = isNew ? ({ key: artifact.key, is: "updating" } as const) : known?.report;
    this.#reports.set(artifact.key, { object, artifact, report });
    if (isNew) this.#tell();
    return artifact;
  }

  /** Whether this node, or an agent before this one, said that it holds it. */
  #isSaid(object: O, artifact: WantedArtifact): boolean {
    if (this.#reports.has(artifact.key)) return true;
    if (this.#inherited?.has(artifact.key) !== true) return false;
    this.#reports.set(artifact.key, { object, artifact, report: { key: artifact.key, is: "updating" } });
    return true;
  }

  #heard(report: ArtifactReport): void {
    const known = this.#reports.get(report.key);
    if (known === undefined) return;
    known.report = report;
    this.#tell();
  }

  #forgot(key: string): void {
    this.#reports.delete(key);
    this.#inherited?.delete(key);
    this.#tell();
  }

  /** Writes once at a time; what changes meanwhile is written after. */
  #tell(): void {
    this.#isDirty = true;
    if (this.#writing !== undefined || this.#stopping.signal.aborted) return;
    this.#writing = this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#isDirty && !this.#stopping.signal.aborted) {
      this.#isDirty = false;
      try {
        if (await this.#write()) await this.#rest();
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#options.onError(`cannot report the models of node ${this.#options.node}`, error);
        this.#clock.schedule(5_000, () => this.#tell());
        return;
      }
    }
  }

  async #rest(): Promise<void> {
    const { pause = 0 } = this.#options;
    // Each write carries all there is to say, so whoever has much to say speaks less often.
    const length = pause * (1 + this.#reports.size / 40);
    if (length > 0) await waitFor(this.#clock, length, this.#stopping.signal);
  }

  /** Says whether there was something to write. */
  async #write(): Promise<boolean> {
    const { client, api, node } = this.#options;
    // Before everything was seen there is nothing to say, and what an agent before this one said stands.
    if (this.#node === undefined || !this.#hasSeenAll()) return false;
    const { labels, data } = api.describe(this.#modelStore());
    const options = { fieldManager, force: true, signal: this.#stopping.signal };
    const silent = this.#silent();
    const reported = this.#report?.data ?? {};
    const all = { ...keptOf(reported, silent.data), ...data };
    const hasChanged = this.#report === undefined || !deepEqual(reported, all);
    if (hasChanged) {
      this.#report = await client.apply(ConfigMap, { ...api.reportOf(node), data: all }, options);
      await this.#dropEntries(Object.keys(this.#report.data ?? {}).filter((key) => !Object.hasOwn(all, key)));
    }
    const known = keptOf(this.#node?.metadata.labels ?? {}, silent.labels);
    return (await this.#writeLabels({ ...known, ...labels }, options)) || hasChanged;
  }

  /** Another agent of this API has written them, too: applying without them does not take them away. */
  async #dropEntries(keys: readonly string[]): Promise<void> {
    if (keys.length === 0 || this.#report === undefined) return;
    const { name = "", namespace, uid = "" } = this.#report.metadata;
    const body = { metadata: { uid }, data: Object.fromEntries(keys.map((key) => [key, null])) };
    const options = { fieldManager, signal: this.#stopping.signal };
    this.#report = await this.#options.client.patch(ConfigMap, { namespace, name }, { type: "merge", body }, options);
  }

  /** The same for labels of the node. */
  async #dropLabels(node: Node, keys: readonly string[]): Promise<Node> {
    if (keys.length === 0) return node;
    const { name = "", uid = "" } = node.metadata;
    const body = { metadata: { uid, labels: Object.fromEntries(keys.map((key) => [key, null])) } };
    const options = { fieldManager, signal: this.#stopping.signal };
    return this.#options.client.patch(Node, { name }, { type: "merge", body }, options);
  }

  /** Wishes that have not been looked at yet keep the last word that was said of them, so that a restart takes nothing back. */
  #silent(): { readonly labels: Labels; readonly data: Labels } {
    const silent = [...this.#reports.values()].filter(({ report }) => report === undefined);
    const asReady = ({ object, artifact: { key } }: (typeof silent)[number]): StoredModel<O> => ({
      object,
      report: { key, is: "ready" },
    });
    return this.#options.api.describe(silent.map(asReady));
  }

  async #writeLabels(
    labels: Labels,
    options: { fieldManager: string; force: boolean; signal: AbortSignal },
  ): Promise<boolean> {
    const { client, node: name } = this.#options;
    const live = this.#node?.metadata.labels ?? {};
    const isSaid = Object.entries(labels).every(([key, value]) => live[key] === value);
    for (const key of Object.keys(labels)) this.#labels.add(key);
    const isOld = (key: string): boolean => this.#labels.has(key) && !Object.hasOwn(labels, key);
    const isMore = [...ownedLabels(this.#node), ...this.#labels].some((key) => key in live && !(key in labels));
    if (isSaid && !isMore) return false;
    // With the uid it is never made here: a node that is gone has nothing to say.
    const metadata = { name, uid: this.#node?.metadata.uid ?? "", labels: { ...labels } };
    const applied = await client.apply(Node, { apiVersion: "v1", kind: "Node", metadata }, options);
    this.#node = await this.#dropLabels(applied, Object.keys(applied.metadata.labels ?? {}).filter(isOld));
    return true;
  }

  #modelStore(): StoredModel<O>[] {
    const found: StoredModel<O>[] = [];
    for (const { object, report } of this.#reports.values()) if (report !== undefined) found.push({ object, report });
    return found;
  }
}

/** A download that was permitted goes on while an edit of its object is being decided, as long as it is the same download. */
function keepPermit(before: WantedArtifact | undefined, { permit, ...wanted }: WantedArtifact): WantedArtifact {
  const isPermitted =
    permit === "awaited" &&
    before !== undefined &&
    before.permit === undefined &&
    deepEqual([before.source, before.path], [wanted.source, wanted.path]);
  return permit === undefined || isPermitted ? wanted : { ...wanted, permit };
}

/** Of what stands there, the entries of these names. */
function keptOf(there: Labels, names: Labels): Labels {
  return Object.fromEntries(Object.entries(there).filter(([key]) => Object.hasOwn(names, key)));
}

/** The labels that this agent, or one before it, put on a node. */
function ownedLabels(node: Node | undefined): ReadonlySet<string> {
  const entry = node?.metadata.managedFields?.find(
    ({ manager, operation }) => manager === fieldManager && operation === "Apply",
  );
  const fields = entry?.fieldsV1 as { "f:metadata"?: { "f:labels"?: object } } | undefined;
  const names = Object.keys(fields?.["f:metadata"]?.["f:labels"] ?? {});
  return new Set(names.filter((name) => name.startsWith("f:")).map((name) => name.slice(2)));
}
