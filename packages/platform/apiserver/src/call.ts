import type { ApiRequest, ResourceQuota } from "@trivium/kube";
import type { Instant, Quantity } from "@trivium/std";
import type { Authorizer } from "./authorization/authorizer.ts";
import type { ParsedBody } from "./body/parse-ahead.ts";
import type { Identity } from "./identity.ts";
import type { UsagePort } from "./metrics/usage-port.ts";
import type { AccountTokens, AdmissionPort, PodLogs } from "./ports.ts";
import type { LiveRegistry } from "./registry.ts";
import type { Resource, StrategyContext } from "./resource.ts";
import type { Storage } from "./storage/storage.ts";
import type { PodStreams } from "./streaming/pod-streams.ts";
import type { TokenOwner } from "./tokens/token-owner.ts";
import type { Turns } from "./turns.ts";
import type { Form } from "./view/forms.ts";

/** What every verb works with. */
export interface Backend {
  readonly storage: Storage;
  readonly registry: LiveRegistry;
  readonly authorizer: Authorizer;
  /** What is used now of everything that a quota limits. */
  quotaUse(quota: ResourceQuota, now: Instant): Map<string, Quantity>;
  now(): Instant;
  strategyContext(): StrategyContext;
  /** For work that keeps the process busy for long. */
  readonly turns: Turns;
  /** Streams that are open now, to be ended when their resource goes or the server stops. */
  readonly watches: Set<OpenWatch>;
  readonly podLogs?: PodLogs | undefined;
  readonly podStreams?: PodStreams | undefined;
  readonly usage?: UsagePort | undefined;
  readonly tokens?: AccountTokens | undefined;
  readonly admission?: AdmissionPort | undefined;
  /** Whose bearer token it is, for one of these audiences; this API itself when there are none. */
  tokenOwner(token: string, audiences: readonly string[]): TokenOwner;
}

export interface OpenWatch {
  /** `pods`, `aimservices.aim.silogen.ai` */
  readonly resource: string;
  end(): void;
}

/** One request for a resource, taken apart. */
export interface Call {
  readonly backend: Backend;
  readonly identity: Identity;
  readonly request: ApiRequest;
  /** The body, where it is large and JSON. */
  readonly parsed?: ParsedBody | undefined;
  readonly resource: Resource;
  /** "" for cluster-scoped resources and for all namespaces. */
  readonly namespace: string;
  /** "" for the collection. */
  readonly name: string;
  readonly subresource: string;
  readonly query: URLSearchParams;
  readonly form: Form;
  /** Sent along as `Warning` headers, whatever the answer is. */
  readonly warnings: string[];
}
