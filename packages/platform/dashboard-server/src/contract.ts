/**
 * What the page in the browser and its server agree on. Nothing here runs: both sides import it, and the browser has no Node.
 * All paths start at the root of the dashboard.
 */

/** Every call that is not GET or HEAD carries this header, so that a form or a link of another page cannot make one. */
export const requestHeader = "x-trivium-request";
export const requestHeaderValue = "1";

/**
 * A GET with this header asks for what may not exist, not be readable or not have started: the answer is 200 then, and its header of this name has the
 * status of the API. A browser writes every other answer of 400 and more into its console, as if something were wrong.
 */
export const statusHeader = "x-trivium-status";
export const statusHeaderValue = "any";

export const paths = {
  /** GET: SessionInfo. POST: LoginRequest → SessionInfo and a cookie. DELETE: log out. */
  session: "/session",
  /** The Kubernetes API below it, with the rights of the session: `/k8s/api/v1/namespaces/default/pods`. */
  kubernetes: "/k8s",
  /** POST WatchRequest → WatchLine, one JSON object a line, until either side ends it. */
  watch: "/k8s-watch",
  /** The gateway below it: `/openai/v1/chat/completions`, `/openai/v1/models`. */
  gateway: "/openai",
  /** GET: GatewayMetrics. */
  gatewayMetrics: "/gateway-metrics",
  /** POST InspectRequest → what `trivium models inspect -o json` prints. */
  inspect: "/inspect",
  /** POST: compares the weights of this machine with their checksums → VerifyReport. */
  verify: "/verify",
} as const;

/** The name of the parameter in the fragment of the printed address: `http://127.0.0.1:8100/#start=<token>`. */
export const startTokenParameter = "start";

/** How often a stream of watches sends a line at least; one that is silent for twice as long is broken. */
export const heartbeatSeconds = 15;

export interface SessionInfo {
  /** Only GET /session, POST /session and the page itself are served until this is false. */
  readonly needsLogin: boolean;
  /** What POST /session takes: the token of the printed address, or a token of the cluster that a person pastes. */
  readonly login: "start-token" | "cluster-token";
  readonly isReadOnly: boolean;
  readonly version: string;
  /** The rest is there after log-in only. */
  readonly user?: UserInfo;
  /** Address of the Kubernetes API. */
  readonly server?: string;
  /** Namespace that is meant where none is named. */
  readonly namespace?: string;
  /** Namespaces that the dashboard is limited to; left out where it is not. */
  readonly namespaces?: readonly string[];
  /** With which the dialects of this control plane decide, by name (`aim`, `ome`, `llmkube`); left out where unknown. */
  readonly dialectOptions?: unknown;
  /** What this server can do besides the Kubernetes API. */
  readonly features?: Features;
}

export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface Features {
  /** `/openai` leads to a gateway. */
  readonly hasGateway: boolean;
  /** Address of the gateway as a client of this network calls it, for the `curl` to copy. */
  readonly gatewayAddress?: string;
  readonly hasGatewayMetrics: boolean;
  readonly hasInspect: boolean;
  /** `/verify` is served: the weights of the cluster are on this machine. */
  readonly hasVerify: boolean;
}

export interface LoginRequest {
  readonly token: string;
}

/** The body of every answer with a status of 400 and more that the dashboard itself gives; those of the API are its own Status objects. */
export interface Fault {
  readonly error: { readonly code: FaultCode; readonly message: string };
}

export type FaultCode =
  | "BadRequest"
  | "LoginRequired"
  | "LoginFailed"
  | "Forbidden"
  | "HostNotAllowed"
  | "OriginNotAllowed"
  | "ReadOnly"
  | "NotFound"
  | "MethodNotAllowed"
  | "TooLarge"
  | "TooManyRequests"
  | "Unavailable"
  | "InternalError";

export interface WatchRequest {
  /** At most 64. */
  readonly watches: readonly WatchSpec[];
}

export interface WatchSpec {
  /** Chosen by the page; at most 128 characters. */
  readonly id: string;
  /** A collection with an optional query: `/apis/ome.io/v1beta1/inferenceservices?labelSelector=…`. */
  readonly path: string;
  /** Of the last line that was received for this collection; left out: begin with LIST. */
  readonly resourceVersion?: string;
}

export type WatchLine<Item = unknown> = ListLine<Item> | EventLine<Item> | BookmarkLine | ErrorLine | HeartbeatLine;

/** The whole collection as it is at this version: replaces what was known. Also sent when a version is too old to resume from. */
export interface ListLine<Item = unknown> {
  readonly id: string;
  readonly type: "LIST";
  readonly items: readonly Item[];
  readonly resourceVersion: string;
}

export interface EventLine<Item = unknown> {
  readonly id: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Item;
  readonly resourceVersion: string;
}

export interface BookmarkLine {
  readonly id: string;
  readonly type: "BOOKMARK";
  readonly resourceVersion: string;
}

/**
 * This one watch failed; the others continue. It is retried by the server while `isRetried` (the API does not respond, a kind is not
 * served yet); otherwise nothing more is sent for it: the user may not watch it, or the path is wrong.
 */
export interface ErrorLine {
  readonly id: string;
  readonly type: "ERROR";
  /** Of the HTTP answer; 0 where there was none. */
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly isRetried: boolean;
}

export interface HeartbeatLine {
  readonly type: "HEARTBEAT";
}

/** Figures of the gateway as they are now; rates are differences of two of them. */
export interface GatewayMetrics {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  /** `trivium_gateway_requests_total` */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface InspectRequest {
  /** `org/repo[:quantization]`, or an `hf://`, `https://` or `s3://` address. */
  readonly source: string;
}

/** What reading all downloaded weights found. */
export interface VerifyReport {
  readonly models: number;
  readonly findings: readonly { readonly path: string; readonly problem: string; readonly repair: string }[];
}
