import { type Backend, formatBackend, type Replica } from "@trivium/domain";
import {
  canStart,
  isAsleep,
  ModelDirectory,
  planRoutes,
  RouteTable,
  summarizeWaking,
  type Workload,
} from "@trivium/engines";
import {
  Deployment,
  EndpointSlice,
  Gateway,
  GatewayClass,
  HTTPRoute,
  type Kind,
  type KubeClient,
  Namespace,
  Pod,
  type Ref,
  ReferenceGrant,
  Secret,
  Service,
  StatefulSet,
} from "@trivium/kube";
import { Caches, type Change, type Clock, FieldRecord, type Log } from "@trivium/runtime";
import { aliasesOf, annotationOf } from "../annotations.ts";
import { modelOf } from "./models.ts";
import { rememberedModels } from "./remembered-models.ts";
import { replicasOf } from "./replicas.ts";
import { scopedTo } from "./scoped-client.ts";

export interface ViewOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly controllerName: string;
  readonly orphans: "adopt" | "leave";
  /** The one Secret that is read. */
  readonly apiKeys?: Ref | undefined;
}

const kinds = [
  Service,
  EndpointSlice,
  Deployment,
  StatefulSet,
  Pod,
  Namespace,
  HTTPRoute,
  Gateway,
  GatewayClass,
  ReferenceGrant,
];
const routing: ReadonlySet<Kind> = new Set([Service, Namespace, HTTPRoute, Gateway, GatewayClass, ReferenceGrant]);
const serviceName = "kubernetes.io/service-name";

/** The cluster as the gateway sees it: caches kept by watches, and what is worked out of them, once for each change. */
export class ClusterView {
  readonly #options: ViewOptions;
  readonly #caches: Caches;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<() => void>();
  #isTelling = false;
  #routes: RouteTable | undefined;
  #models: ModelDirectory | undefined;
  readonly #replicas = new Map<string, readonly Replica[]>();
  readonly #listed = new Map<string, readonly string[]>();
  #running: Promise<void>[] = [];

  constructor(options: ViewOptions) {
    this.#options = options;
    const read = options.apiKeys === undefined ? kinds : [...kinds, Secret];
    this.#caches = new Caches(read as Kind[], new FieldRecord([]), (change) => this.#take(change));
  }

  /** Resolves when everything was seen once. */
  async start(): Promise<void> {
    const { client, clock, random, log, apiKeys } = this.#options;
    const onError = (error: unknown) => log.warn({ err: error }, "watch failed; restarting it");
    const optionsFor = (kind: Kind) => ({
      client: kind === (Secret as Kind) && apiKeys !== undefined ? scopedTo(client, apiKeys) : client,
      clock,
      random,
      onError,
    });
    this.#running = await this.#caches.start(optionsFor, this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  /** Called after changes, once for those that come together. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  get routes(): RouteTable {
    this.#routes ??= new RouteTable(planRoutes(this.#caches.of(HTTPRoute).values(), this.#world()));
    return this.#routes;
  }

  get models(): ModelDirectory {
    this.#models ??= new ModelDirectory(this.#servedModels());
    return this.#models;
  }

  /** The ready replicas of a backend. */
  replicas(backend: Backend): readonly Replica[] {
    const key = formatBackend(backend);
    const known = this.#replicas.get(key);
    if (known !== undefined) return known;
    const service = this.service(backend);
    const found = service === undefined ? [] : replicasOf(service, backend.port, this.#slices(backend));
    this.#replicas.set(key, found);
    return found;
  }

  service({ namespace, service }: Pick<Backend, "namespace" | "service">): Service | undefined {
    return this.#caches.of(Service).get({ namespace, name: service });
  }

  services(): Iterable<Service> {
    return this.#caches.of(Service).values();
  }

  secret(ref: Ref): Secret | undefined {
    return this.#caches.of(Secret).get(ref);
  }

  /** What makes the pods of a Service: its selector fits their template. */
  workloads(backend: Pick<Backend, "namespace" | "service">): Workload[] {
    const selector = this.service(backend)?.spec?.selector;
    if (selector === undefined) return [];
    const where = { namespace: backend.namespace };
    const all: Workload[] = [...this.#caches.of(Deployment).list(where), ...this.#caches.of(StatefulSet).list(where)];
    return all.filter((workload) => fits(selector, workload.spec?.template.metadata?.labels));
  }

  allWorkloads(): Workload[] {
    return [...this.#caches.of(Deployment).values(), ...this.#caches.of(StatefulSet).values()];
  }

  /** Whether a workload wants replicas, as last seen. */
  isAwake({ kind, metadata }: Workload): boolean {
    const ref = { namespace: metadata.namespace, name: metadata.name ?? "" };
    const current =
      kind === "Deployment" ? this.#caches.of(Deployment).get(ref) : this.#caches.of(StatefulSet).get(ref);
    return current !== undefined && !isAsleep(current);
  }

  podsOfService(backend: Pick<Backend, "namespace" | "service">): readonly Pod[] {
    const selector = this.service(backend)?.spec?.selector;
    return selector === undefined ? [] : this.#caches.of(Pod).list({ namespace: backend.namespace, labels: selector });
  }

  podsOfWorkload(workload: Workload): readonly Pod[] {
    const labels = workload.spec?.selector.matchLabels ?? {};
    return this.#caches.of(Pod).list({ namespace: workload.metadata.namespace, labels });
  }

  /** Whether requests to a backend can be answered: it has replicas, or nothing is known to keep it from starting. */
  canServe(backend: Backend): boolean {
    if (this.replicas(backend).length > 0) return true;
    if (annotationOf(this.service(backend), "closed") !== undefined) return false;
    return canStart(summarizeWaking(this.workloads(backend), this.podsOfService(backend)));
  }

  /** Which Services are backends of a route of ours. */
  routedServices(): ReadonlySet<string> {
    const routed = new Set<string>();
    for (const { metadata, spec } of this.#caches.of(HTTPRoute).values()) {
      for (const { backendRefs = [] } of spec.rules ?? [])
        for (const { namespace, name } of backendRefs) routed.add(`${namespace ?? metadata.namespace}/${name}`);
    }
    return routed;
  }

  /** What a Service's own `/v1/models` lists; nothing while that is not known, no names where it serves no models. */
  noteListed(service: string, names: readonly string[] | undefined): void {
    if (names === undefined) this.#listed.delete(service);
    else this.#listed.set(service, names);
    this.#models = undefined;
  }

  #servedModels() {
    // Few workloads name models, so that each Service need not be held against all of them.
    const naming = this.allWorkloads().filter((workload) => annotationOf(workload, "models") !== undefined);
    return [...this.services()].flatMap((service) => {
      const { namespace = "", name = "" } = service.metadata;
      const { selector = {} } = service.spec ?? {};
      const makers = naming.filter(
        ({ metadata, spec }) => metadata.namespace === namespace && fits(selector, spec?.template.metadata?.labels),
      );
      const own = aliasesOf(service);
      const aliases = own.length > 0 ? own : makers.flatMap(aliasesOf);
      const listed = this.#listed.get(`${namespace}/${name}`) ?? rememberedModels(service);
      return modelOf(service, aliases, listed) ?? [];
    });
  }

  #slices({ namespace, service }: Backend): readonly EndpointSlice[] {
    return this.#caches.of(EndpointSlice).list({ namespace, labels: { [serviceName]: service } });
  }

  #world() {
    const { controllerName, orphans } = this.#options;
    return {
      controllerName,
      orphans,
      gateway: (ref: Ref) => this.#caches.of(Gateway).get(ref),
      gatewayClass: (name: string) => this.#caches.of(GatewayClass).get({ name }),
      namespaceLabels: (name: string) => this.#caches.of(Namespace).get({ name })?.metadata.labels,
      service: (ref: Ref) => this.#caches.of(Service).get(ref),
      grants: (namespace: string) => this.#caches.of(ReferenceGrant).list({ namespace }),
    };
  }

  #take({ kind, old, next }: Change): void {
    if (routing.has(kind)) this.#routes = undefined;
    if (kind === (Service as Kind) || isRenamed(kind, old, next)) this.#models = undefined;
    if (kind === (Service as Kind)) this.#replicas.clear();
    if (kind === (EndpointSlice as Kind)) this.#forgetReplicas(old, next);
    this.#tell();
  }

  #forgetReplicas(...slices: readonly (Change["next"] | undefined)[]): void {
    for (const slice of slices) {
      const prefix = `${slice?.metadata.namespace}/${slice?.metadata.labels?.[serviceName]}:`;
      for (const key of this.#replicas.keys()) if (key.startsWith(prefix)) this.#replicas.delete(key);
    }
  }

  #tell(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      for (const listener of this.#listeners) listener();
    });
  }
}

/** Workloads change all the time; names only when someone writes them. */
function isRenamed(kind: Kind, old: Change["old"], next: Change["next"]): boolean {
  if (kind !== (Deployment as Kind) && kind !== (StatefulSet as Kind)) return false;
  return (
    annotationOf(old, "models") !== annotationOf(next, "models") ||
    old?.metadata.generation !== next?.metadata.generation
  );
}

function fits(selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>> = {}): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value);
}
