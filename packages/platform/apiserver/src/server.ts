import { ApiError, type ApiRequest, type ApiResponse, type Transport } from "@trivium/kube";
import { deepEqual, type Instant } from "@trivium/std";
import { type Attributes, attributesOf } from "./authorization/attributes.ts";
import { createAuthorizer } from "./authorization/authorizer.ts";
import { impersonate } from "./authorization/impersonation.ts";
import { startRoles } from "./authorization/start-roles.ts";
import { type ParsedBody, parseAhead } from "./body/parse-ahead.ts";
import type { Backend } from "./call.ts";
import { startEventExpiry } from "./controllers/events.ts";
import { startGarbageCollector } from "./controllers/garbage-collector.ts";
import { startNamespaces } from "./controllers/namespaces.ts";
import { createPriorities } from "./controllers/priorities.ts";
import { startCustomResources } from "./crd/controller.ts";
import { createDiscovery } from "./discovery/index.ts";
import { dispatch } from "./dispatch.ts";
import type { Identity } from "./identity.ts";
import { metricsResources } from "./metrics/metrics.ts";
import type { UsagePort } from "./metrics/usage-port.ts";
import { createAllocators } from "./network/allocators.ts";
import type { ServiceNetwork } from "./network/service-network.ts";
import { createOpenApi } from "./openapi/index.ts";
import type { AccountTokens, AdmissionPort, PodLogs, PodStreams } from "./ports.ts";
import { startQuotas } from "./quota/start-quotas.ts";
import { createTally } from "./quota/tally.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { parseTarget, queryOf, type ResourceTarget, verbOf } from "./request.ts";
import type { Resource } from "./resource.ts";
import { respondFailure } from "./respond.ts";
import { createStorage } from "./storage/storage.ts";
import type { Store } from "./store/store.ts";
import { type ConnectRequest, connect } from "./streaming/connect.ts";
import type { Connection } from "./streaming/connection.ts";
import { issuer } from "./tokens/account-tokens.ts";
import { ownerOfToken } from "./tokens/token-owner.ts";
import { Turns } from "./turns.ts";
import { reviewResources } from "./verbs/review.ts";
import { type Form, negotiate } from "./view/forms.ts";

export interface ApiOptions {
  readonly store: Store;
  /** Built-in resources; those of CRDs are added as they are stored. */
  readonly resources: readonly Resource[];
  readonly clock?: (() => Instant) | undefined;
  /** Told of faults of ours that no caller can be told of. */
  readonly log?: ((message: string, error?: unknown) => void) | undefined;
  readonly podLogs?: PodLogs | undefined;
  readonly podStreams?: PodStreams | undefined;
  /** Given, `metrics.k8s.io` is served. */
  readonly usage?: UsagePort | undefined;
  readonly tokens?: AccountTokens | undefined;
  /** Asked before anything is stored, as webhooks of a cluster are. */
  readonly admission?: AdmissionPort | undefined;
  /** Finds the owners of bearer tokens that are no service account's, for those who ask by TokenReview. */
  readonly otherTokens?: ((token: string) => Identity | undefined) | undefined;
  /** PEM text, put into the `kube-root-ca.crt` ConfigMap of every namespace. */
  readonly rootCertificate?: string | undefined;
  /** Where the addresses of Services come from: 10.96.0.0/16 unless somebody can route another. */
  readonly serviceNetwork?: ServiceNetwork | undefined;
}

/** A whole Kubernetes API without a socket. */
export interface Api {
  /** The API as one caller sees it. */
  transport(identity: Identity): Transport;
  /** What a request for streams of a pod or for a proxy reaches. Rejects with an `ApiError`. */
  connect(identity: Identity, request: ConnectRequest): Promise<Connection>;
  /** The service account whose token this is, while both last. */
  tokenOwner(token: string): Identity | undefined;
  readonly registry: Registry;
  /** Resolves when what a fresh cluster has is there: namespaces, their service accounts, and the resources of stored CRDs. */
  readonly ready: Promise<void>;
  /** Resolves when nothing inside the server has work left to do, such as collecting garbage; for tests and for a clean stop. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export function createApi(options: ApiOptions): Api {
  const now = options.clock ?? Date.now;
  const log = options.log ?? (() => undefined);
  const measured = options.usage === undefined ? [] : metricsResources();
  const registry = createRegistry([...options.resources, ...reviewResources(), ...measured]);
  const storage = createStorage({ store: options.store, registry, now, log });
  const allocators = { ...createAllocators(storage, options.serviceNetwork), ...createPriorities(storage) };
  const backend: Backend = {
    storage,
    registry,
    authorizer: createAuthorizer(options.store),
    quotaUse: createTally(options.store),
    now,
    strategyContext: () => ({ now: now(), ...allocators }),
    turns: new Turns(),
    watches: new Set(),
    podLogs: options.podLogs,
    podStreams: options.podStreams,
    usage: options.usage,
    tokens: options.tokens,
    admission: options.admission,
    tokenOwner: (token, audiences) => {
      const other = options.otherTokens?.(token);
      if (other !== undefined)
        return { is: "known", identity: other, audiences: audiences.length > 0 ? audiences : [issuer] };
      return ownerOfToken({ tokens: options.tokens, store: options.store, now }, token, audiences);
    },
  };
  const documents = [createDiscovery(registry), createOpenApi(registry)];
  const answering: Answering = { backend, documents, log };
  const workers = [
    startCustomResources(backend, log),
    startGarbageCollector(backend, log),
    startNamespaces(backend, { log, rootCertificate: options.rootCertificate ?? "" }),
    startEventExpiry(backend, log),
    startRoles(backend, log),
    startQuotas(backend, log),
  ];
  const ready = Promise.all(workers.map((worker) => worker.ready)).then(() => undefined);
  return {
    registry,
    ready,
    transport: (identity) => async (request) => {
      await ready;
      return answer(answering, identity, request);
    },
    connect: async (identity, request) => {
      await ready;
      return connect(backend, identity, request);
    },
    tokenOwner: (token) => {
      const owner = backend.tokenOwner(token, []);
      return owner.is === "known" ? owner.identity : undefined;
    },
    idle: async () => {
      await ready;
      while (workers.some((worker) => worker.isBusy)) await Promise.all(workers.map((worker) => worker.idle()));
    },
    close: async () => {
      // What was begun is finished first: nobody inside may write after the store is closed.
      await ready.catch(() => undefined);
      for (const worker of workers) worker.stop();
      for (const watch of backend.watches) watch.end();
      await Promise.all(workers.map((worker) => worker.idle()));
    },
  };
}

interface Answering {
  readonly backend: Backend;
  readonly documents: readonly ((request: ApiRequest) => ApiResponse | undefined | Promise<ApiResponse | undefined>)[];
  log(message: string, error?: unknown): void;
}

/** Who calls, whether they may, and only then what is there: a refusal says nothing of what exists. */
async function answer(server: Answering, caller: Identity, request: ApiRequest): Promise<ApiResponse> {
  const context: { form?: Form; warnings: string[] } = { warnings: [] };
  try {
    const { authorizer } = server.backend;
    const identity = impersonate(authorizer, caller, request.headers);
    const asked = attributesOf(request);
    authorizer.demand(identity, asked);
    const parsed = await parseAhead(request, server.backend.turns);
    const target = parseTarget(server.backend.registry, request.path);
    if (target.is === "document") return await answerDocument(server, request);
    if (target.resource.warning !== undefined) context.warnings.push(target.resource.warning);
    context.form = negotiate(request.headers.accept);
    return await answerResource(server.backend, {
      identity,
      asked,
      request,
      parsed,
      target,
      form: context.form,
      warnings: context.warnings,
    });
  } catch (error) {
    const response = respondFailure(error, context);
    if (!(error instanceof ApiError))
      server.log(`${request.method} ${request.path.split("?", 1)[0]} failed`, asError(error));
    return response;
  }
}

/** What is logged has a stack, even where something else than an error was thrown. */
const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`a value other than an Error was thrown: ${String(thrown)}`);

async function answerDocument(server: Answering, request: ApiRequest): Promise<ApiResponse> {
  for (const document of server.documents) {
    const response = await document(request);
    if (response !== undefined) return response;
  }
  return { status: 404, headers: { "content-type": "text/plain; charset=utf-8" }, body: "404 page not found\n" };
}

interface ResourceRequest {
  readonly identity: Identity;
  /** What was authorized. */
  readonly asked: Attributes;
  readonly request: ApiRequest;
  readonly parsed: ParsedBody | undefined;
  readonly target: ResourceTarget;
  readonly form: Form;
  readonly warnings: string[];
}

function answerResource(backend: Backend, { target, request, asked, ...rest }: ResourceRequest): Promise<ApiResponse> {
  const query = queryOf(request.path);
  const verb = verbOf(request.method, target, query);
  const { resource, namespace, name, subresource } = target;
  // What is carried out must be what was authorized, whatever the two readings of a path make of it.
  const meant: Attributes = {
    is: "resource",
    verb,
    group: resource.group,
    resource: resource.plural,
    subresource,
    namespace: asked.is === "resource" && namespace === "" ? asked.namespace : namespace,
    name: asked.is === "resource" && name === "" ? asked.name : name,
  };
  if (!deepEqual(meant, asked)) backend.authorizer.demand(rest.identity, meant);
  return dispatch({ backend, request, resource, namespace, name, subresource, query, ...rest }, verb);
}
