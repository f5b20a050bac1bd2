import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AnyObject,
  apiVersionOf,
  type Kind,
  type KubeClient,
  type KubeObject,
  type OwnerReference,
  ownerReferenceTo,
  type Ref,
} from "@trivium/kube";
import type { StageTable } from "@trivium/node";
import { type Json, type JsonObject, sha256Hex } from "@trivium/std";
import type { GivenAnswers, StoryNode } from "@trivium/testkit";
import { parse } from "yaml";

/** What people have applied and what an upstream operator has made of it: facts, in the order in which they are written. */
export interface UpstreamWorld {
  readonly about: string;
  readonly dialect: string;
  /** Of all objects that name none. */
  readonly namespace: string;
  readonly namespaces: readonly string[];
  readonly nodes: readonly StoryNode[];
  readonly stages?: StageTable;
  readonly answers?: GivenAnswers;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly people: readonly AnyObject[];
  readonly upstream: readonly UpstreamWrite[];
  /** Webhook configurations that it leaves behind when only its pods are gone. */
  readonly webhooks?: readonly AnyObject[];
  /** What is waited for before the take-over. */
  readonly ready: Sights;
  /** Outcomes of the plan, by kind and name. */
  readonly plan: Readonly<Record<string, string>>;
  readonly after: Sights;
  /** Children that keep fields of the other operator, because we do not create such objects. */
  readonly unmanaged?: readonly string[];
  readonly edit: { readonly name: Named; readonly body: JsonObject; readonly sees: Sights };
}

/** By `kind/name`, as in stories. */
export type Sights = Readonly<Record<string, Json>>;

export interface Named {
  readonly kind: string;
  readonly name: string;
}

/** An object that is created, or applied on the server; or a change of one that people have created. The status is written by itself. */
export type UpstreamWrite = { readonly by: string; readonly apply?: true } & (
  | { readonly object: AnyObject }
  | { readonly change: Named; readonly body: JsonObject }
);

export const readWorld = (dialect: string): UpstreamWorld =>
  parse(readFileSync(join(import.meta.dirname, "worlds", `${dialect}.yaml`), "utf8"), { merge: true }) as UpstreamWorld;

/** Writes the world into a cluster, as people and as the managers of the upstream operator. */
export class WorldWriter {
  readonly #client: KubeClient;
  readonly #world: UpstreamWorld;
  readonly #kinds: readonly Kind[];
  #upstream: readonly UpstreamWrite[] | undefined;

  private constructor(client: KubeClient, world: UpstreamWorld, kinds: readonly Kind[]) {
    this.#client = client;
    this.#world = world;
    this.#kinds = kinds;
  }

  static async open(client: KubeClient, world: UpstreamWorld): Promise<WorldWriter> {
    return new WorldWriter(client, world, await client.discover());
  }

  async applyAsPeople(): Promise<void> {
    for (const object of this.#world.people) {
      const kind = this.kindOf(object);
      await this.#client.create(kind, this.#placed(kind, object), { fieldManager: "kubectl-create" });
    }
  }

  /** What the upstream operator writes; it finds what is there already, as after its return, and writes it again. */
  async writeAsUpstream(): Promise<void> {
    this.#upstream ??= await this.#named(this.#world.upstream);
    for (const write of this.#upstream) {
      const options = { fieldManager: write.by };
      if ("change" in write) await this.#change(write.change, write.body, options);
      else await this.#write(write.object, { ...options, isApplied: write.apply === true });
    }
  }

  kindOf({ apiVersion, kind }: Pick<AnyObject, "apiVersion" | "kind">): Kind {
    const found = this.#kinds.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
    if (found === undefined) throw new Error(`${apiVersion} ${kind} is not served`);
    return found;
  }

  /** An object that people have created, by its kind and name. */
  find({ kind, name }: Named): [Kind, Ref] {
    const { people, namespace } = this.#world;
    const all = [
      ...people,
      ...(this.#upstream ?? this.#world.upstream).flatMap((write) => ("object" in write ? [write.object] : [])),
      node,
    ];
    const object = all.find((one) => one.kind === kind && (one.metadata.name === name || one === node));
    if (object === undefined) throw new Error(`the world has no ${kind} ${name}`);
    const found = this.kindOf(object);
    return [found, found.namespaced ? { namespace: object.metadata.namespace ?? namespace, name } : { name }];
  }

  /** `<Kind name>` in a name is a hash of the identity that this object has in this cluster. */
  async #named(writes: readonly UpstreamWrite[]): Promise<readonly UpstreamWrite[]> {
    const text = JSON.stringify(writes);
    const hashes = new Map<string, string>();
    for (const [token, kind = "", name = ""] of text.matchAll(/<(\w+) ([\w-]+)>/g)) {
      const object = await this.#client.get(...this.find({ kind, name }));
      hashes.set(token, sha256Hex(JSON.stringify(object.metadata.uid)).slice(0, 8));
    }
    return JSON.parse(text.replace(/<\w+ [\w-]+>/g, (token) => hashes.get(token) ?? token)) as UpstreamWrite[];
  }

  async #write(object: AnyObject, options: { fieldManager: string; isApplied: boolean }): Promise<void> {
    const { fieldManager, isApplied } = options;
    const kind = this.kindOf(object);
    const { status, ...content } = this.#placed(kind, object) as AnyObject & { status?: JsonObject };
    const owners = await this.#owners(content.metadata.ownerReferences ?? []);
    const whole = {
      ...content,
      metadata: { ...content.metadata, ...(owners.length > 0 ? { ownerReferences: owners } : {}) },
    };
    const ref = { namespace: whole.metadata.namespace, name: whole.metadata.name ?? "" };
    const live = await this.#client.get(kind, ref).catch(() => undefined);
    if (isApplied) await this.#client.apply(kind, whole, { fieldManager, force: true });
    else if (live === undefined) await this.#client.create(kind, whole, { fieldManager });
    else if (!fixedKinds.has(kind.kind)) await this.#client.replace(kind, replaced(whole, live), { fieldManager });
    if (status !== undefined) await this.#report(kind, ref, { status, fieldManager });
  }

  async #change(named: Named, { status, ...body }: JsonObject, options: { fieldManager: string }): Promise<void> {
    const [kind, ref] = this.find(named);
    if (Object.keys(body).length > 0) await this.#client.patch(kind, ref, { type: "merge", body }, options);
    if (status !== undefined) await this.#report(kind, ref, { status, ...options });
  }

  async #report(kind: Kind, ref: Ref, { status, fieldManager }: { status: Json; fieldManager: string }): Promise<void> {
    const options = { fieldManager, subresource: "status" } as const;
    await this.#client.patch(kind, ref, { type: "merge", body: { status } }, options);
  }

  #placed(kind: Kind, object: AnyObject): AnyObject {
    if (!kind.namespaced) return object;
    return { ...object, metadata: { namespace: this.#world.namespace, ...object.metadata } };
  }

  /** The world names owners; their identity is that of this cluster. */
  async #owners(named: readonly Partial<OwnerReference>[]): Promise<OwnerReference[]> {
    return Promise.all(
      named.map(async ({ kind = "", name = "", ...rest }) => {
        const [found, ref] = this.find({ kind, name });
        const owner = { ...(await this.#client.get(found, ref)), apiVersion: apiVersionOf(found), kind };
        return { ...ownerReferenceTo(owner), ...rest };
      }),
    );
  }
}

const node: AnyObject = { apiVersion: "v1", kind: "Node", metadata: {} };
/** What cannot be changed, an operator leaves unchanged when it returns. */
const fixedKinds: ReadonlySet<string> = new Set(["Job", "PersistentVolumeClaim"]);

/** As a plain update of a Go program: all it knows, with the version that it has read. Replicas belong to the autoscaler. */
function replaced(wanted: KubeObject, live: KubeObject): KubeObject {
  const { resourceVersion, annotations, finalizers } = live.metadata;
  const { spec } = live as { spec?: { replicas?: number; clusterIP?: string; clusterIPs?: string[] } };
  const kept = Object.entries({ replicas: spec?.replicas, clusterIP: spec?.clusterIP, clusterIPs: spec?.clusterIPs });
  const { spec: own } = wanted as { spec?: JsonObject };
  const metadata = {
    ...wanted.metadata,
    resourceVersion,
    annotations: { ...annotations, ...wanted.metadata.annotations },
    ...(finalizers === undefined ? {} : { finalizers }),
  };
  const known = Object.fromEntries(kept.filter(([, value]) => value !== undefined));
  return { ...wanted, metadata, ...(own === undefined ? {} : { spec: { ...own, ...known } }) } as KubeObject;
}
