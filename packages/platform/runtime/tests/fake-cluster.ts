import { setImmediate } from "node:timers/promises";
import {
  type AnyObject,
  ApiError,
  apiVersionOf,
  groupResourceOf,
  type Kind,
  type KubeClient,
  type KubeObject,
  type ManagedFields,
  type Ref,
  type StatusReason,
  type WatchEvent,
} from "@trivium/kube";
import { cloneJson, deepEqual, isObject, type JsonObject } from "@trivium/std";

interface Logged {
  readonly version: number;
  readonly event: { type: "ADDED" | "MODIFIED" | "DELETED"; object: AnyObject };
}

/** A small API server behind the client port: enough of apply, watch and deletion to try the runtime on. */
export class FakeCluster {
  readonly writes: string[] = [];
  #version = 0;
  #uids = 0;
  readonly #objects = new Map<string, AnyObject>();
  readonly #logs = new Map<string, Logged[]>();
  readonly #forgotten = new Map<string, number>();
  readonly #wakeups = new Set<() => void>();
  readonly #cuts = new Set<() => void>();

  /** Forgets history and cuts every watch: whoever resumes is told that its version is gone. */
  forgetHistory(): void {
    for (const [resource, log] of this.#logs) {
      this.#forgotten.set(resource, this.#version);
      log.length = 0;
    }
    for (const cut of [...this.#cuts]) cut();
  }

  /** Cuts every watch; what happens until they are resumed is in the history. */
  cutWatches(): void {
    for (const cut of [...this.#cuts]) cut();
  }

  /** All objects as others see them, without what differs from run to run. */
  dump(): Record<string, JsonObject> {
    const dump: Record<string, JsonObject> = {};
    for (const [key, object] of [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (key.startsWith("events ")) continue;
      const { metadata, ...rest } = cloneJson(object) as unknown as { metadata: JsonObject };
      const { labels, annotations, finalizers, deletionTimestamp } = metadata;
      dump[key] = cloneJson({
        ...rest,
        metadata: { labels, annotations, finalizers, deletionTimestamp },
      }) as JsonObject;
    }
    return dump;
  }

  client(): KubeClient {
    return {
      get: async (kind, ref) => {
        await setImmediate();
        return cloneJson(this.#find(kind, ref)) as never;
      },
      list: async (kind, options = {}) => {
        await setImmediate();
        const prefix = `${groupResourceOf(kind)} `;
        const all = [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object);
        const from = options.continue === undefined ? 0 : Number(options.continue);
        const to = options.limit === undefined ? all.length : from + options.limit;
        const next = to < all.length ? { continue: String(to) } : {};
        const metadata = { resourceVersion: String(this.#version), ...next };
        return { apiVersion: "v1", kind: "List", metadata, items: all.slice(from, to).map(cloneJson) as never[] };
      },
      watch: (kind, options = {}) => this.#watch(kind, Number(options.resourceVersion ?? 0), options.signal) as never,
      create: async (kind, object) => {
        await setImmediate();
        this.#count("create", kind, object.metadata);
        if (this.#objects.has(keyFor(kind, object.metadata))) throw refuse(409, "AlreadyExists", "already exists");
        return this.#store(kind, undefined, cloneJson(object) as unknown as AnyObject) as never;
      },
      replace: async (kind, object) => {
        await setImmediate();
        this.#count("replace", kind, object.metadata);
        const live = this.#find(kind, object.metadata as Ref);
        this.#checkVersion(live, object.metadata.resourceVersion);
        return this.#store(kind, live, cloneJson(object) as unknown as AnyObject) as never;
      },
      patch: async (kind, ref, patch) => {
        await setImmediate();
        this.#count("patch", kind, ref);
        const live = this.#find(kind, ref);
        const body = patch.body as JsonObject;
        this.#checkVersion(live, (body.metadata as JsonObject | undefined)?.resourceVersion as string | undefined);
        return this.#store(kind, live, mergePatch(cloneJson(live), body) as AnyObject) as never;
      },
      apply: async (kind, object, options) => {
        await setImmediate();
        this.#count(options.subresource === undefined ? "apply" : "apply-status", kind, object.metadata);
        return this.#apply(kind, object as unknown as AnyObject, options) as never;
      },
      delete: async (kind, ref, options = {}) => {
        await setImmediate();
        this.#count("delete", kind, ref);
        const live = this.#find(kind, ref);
        const uid = options.preconditions?.uid;
        if (uid !== undefined && uid !== live.metadata.uid) throw refuse(409, "Conflict", "uid differs");
        this.#delete(kind, live);
      },
      async *log() {},
      discover: async () => [],
    };
  }

  #count(verb: string, kind: Kind, { name }: { name?: string | undefined }): void {
    this.writes.push(`${verb} ${kind.kind} ${name}`);
  }

  #find(kind: Kind, ref: Ref): AnyObject {
    const live = this.#objects.get(keyFor(kind, ref));
    if (live === undefined) throw refuse(404, "NotFound", `${kind.plural} "${ref.name}" not found`);
    return live;
  }

  #checkVersion(live: AnyObject, version: string | undefined): void {
    if (version !== undefined && version !== live.metadata.resourceVersion) throw refuse(409, "Conflict", "modified");
  }

  #apply(
    kind: Kind,
    object: AnyObject,
    options: { fieldManager: string; force?: boolean; subresource?: string },
  ): AnyObject {
    const live = this.#objects.get(keyFor(kind, object.metadata));
    const { uid } = object.metadata;
    if (uid !== undefined && live?.metadata.uid !== uid) throw refuse(409, "Conflict", "uid mismatch");
    if (live === undefined && options.subresource !== undefined) throw refuse(404, "NotFound", "not found");
    const { apiVersion: _a, kind: _k, ...wanted } = cloneJson(object) as unknown as JsonObject;
    const { name: _n, namespace: _s, uid: _u, ...metadata } = wanted.metadata as JsonObject;
    const body: JsonObject =
      options.subresource === "status" ? { status: wanted.status ?? {} } : { ...wanted, metadata };
    const others = live?.metadata.managedFields ?? [];
    const isMine = (entry: ManagedFields) =>
      entry.manager === options.fieldManager &&
      entry.subresource === options.subresource &&
      entry.operation === "Apply";
    const before = others.find(isMine)?.fieldsV1 ?? {};
    if (live !== undefined && options.force !== true && !agrees(live, body))
      throw refuse(409, "Conflict", "Apply failed");
    const base = live === undefined ? { metadata: { name: object.metadata.name ?? "" } } : cloneJson(live);
    const next = merge(without(base as JsonObject, before, body), body) as unknown as AnyObject;
    const fields: ManagedFields = { manager: options.fieldManager, operation: "Apply", fieldsV1: fieldsOf(body) };
    if (options.subresource !== undefined) fields.subresource = options.subresource;
    if (object.metadata.namespace !== undefined) next.metadata.namespace = object.metadata.namespace;
    next.metadata.managedFields = [...others.filter((entry) => !isMine(entry)), fields];
    return this.#store(kind, live, next);
  }

  #store(kind: Kind, live: AnyObject | undefined, next: AnyObject): AnyObject {
    const { metadata } = next;
    if (metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0) {
      this.#remove(kind, next);
      return cloneJson(next);
    }
    Object.assign(next, { apiVersion: apiVersionOf(kind), kind: kind.kind });
    if (live !== undefined && deepEqual(live, next)) return cloneJson(live);
    this.#version += 1;
    metadata.resourceVersion = String(this.#version);
    if (live === undefined) {
      this.#uids += 1;
      metadata.uid = `uid-${this.#uids}`;
      metadata.generation = 1;
    } else if (!deepEqual(live.spec, next.spec)) metadata.generation = (live.metadata.generation ?? 1) + 1;
    this.#objects.set(keyFor(kind, metadata), next);
    this.#log(kind, { type: live === undefined ? "ADDED" : "MODIFIED", object: next });
    return cloneJson(next);
  }

  #delete(kind: Kind, live: AnyObject): void {
    const isHeld = (live.metadata.finalizers ?? []).length > 0;
    if (!isHeld) this.#remove(kind, cloneJson(live));
    if (!isHeld || live.metadata.deletionTimestamp !== undefined) return;
    const next = cloneJson(live);
    next.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    this.#store(kind, live, next);
  }

  #remove(kind: Kind, object: AnyObject): void {
    this.#version += 1;
    object.metadata.resourceVersion = String(this.#version);
    this.#objects.delete(keyFor(kind, object.metadata));
    this.#log(kind, { type: "DELETED", object });
    for (const [key, child] of [...this.#objects]) {
      const isChild = child.metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid);
      if (isChild) this.#remove(kindOfKey(key, child), cloneJson(child));
    }
  }

  #log(kind: Kind, event: Logged["event"]): void {
    const resource = groupResourceOf(kind);
    const log = this.#logs.get(resource) ?? [];
    this.#logs.set(resource, log);
    log.push({ version: this.#version, event: cloneJson(event) });
    for (const wake of [...this.#wakeups]) wake();
  }

  async *#watch(kind: Kind, from: number, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    const resource = groupResourceOf(kind);
    let isCut = false;
    let wake = () => {};
    const rouse = () => wake();
    const cut = () => {
      isCut = true;
      wake();
    };
    this.#wakeups.add(rouse);
    this.#cuts.add(cut);
    signal?.addEventListener("abort", cut);
    try {
      let seen = from;
      for (;;) {
        if (seen < (this.#forgotten.get(resource) ?? 0)) throw refuse(410, "Expired", "too old resource version");
        await setImmediate();
        if (isCut || signal?.aborted) return;
        for (const { version, event } of [...(this.#logs.get(resource) ?? [])]) {
          if (version <= seen) continue;
          seen = version;
          yield cloneJson(event) as WatchEvent;
          if (isCut) return;
        }
        const isBehind = (this.#logs.get(resource)?.at(-1)?.version ?? 0) > seen;
        if (!isBehind && !isCut) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#wakeups.delete(rouse);
      this.#cuts.delete(cut);
      signal?.removeEventListener("abort", cut);
    }
  }
}

const keyFor = (
  kind: Kind,
  { namespace, name }: { namespace?: string | undefined; name?: string | undefined },
): string => `${groupResourceOf(kind)} ${kind.namespaced ? (namespace ?? "") : ""}/${name}`;

function kindOfKey(key: string, object: KubeObject): Kind {
  const [plural = "", ...group] = (key.split(" ", 1)[0] ?? "").split(".");
  const version = object.apiVersion.split("/").at(-1) ?? "";
  return { group: group.join("."), version, kind: object.kind, plural, namespaced: !key.includes(" /") };
}

function refuse(code: number, reason: StatusReason, message: string): ApiError {
  return new ApiError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code });
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? target : {};
  for (const key in patch) {
    if (patch[key] === null) delete result[key];
    else result[key] = mergePatch(result[key], patch[key]) as never;
  }
  return result;
}

function merge(target: JsonObject, body: JsonObject): JsonObject {
  for (const key in body) {
    const inner = body[key];
    target[key] = isObject(inner) && isObject(target[key]) ? merge(target[key], inner) : (inner as never);
  }
  return target;
}

function without(target: JsonObject, fields: JsonObject, body: JsonObject): JsonObject {
  for (const step in fields) {
    const key = step.slice(2);
    const inner = fields[step] as JsonObject;
    if (body[key] === undefined && Object.keys(inner).length === 0) delete target[key];
    else if (isObject(target[key])) without(target[key], inner, isObject(body[key]) ? body[key] : {});
  }
  return target;
}

function fieldsOf(body: JsonObject): JsonObject {
  const fields: JsonObject = {};
  for (const key in body) fields[`f:${key}`] = isObject(body[key]) ? fieldsOf(body[key]) : {};
  return fields;
}

function agrees(live: unknown, body: unknown): boolean {
  if (!isObject(body) || !isObject(live)) return live === undefined || deepEqual(live, body);
  return Object.keys(body).every((key) => agrees(live[key], body[key]));
}
