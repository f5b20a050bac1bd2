import { createHash } from "node:crypto";
import type { Kind, KubeClient, KubeObject } from "@trivium/kube";

/** Whether a request can read metrics, as an HTTP status with its reason. */
export interface AccessAnswer {
  readonly status: 200 | 401 | 403 | 503;
  readonly message: string;
}

/** Decides by the value of the Authorization header. */
export type MetricsAccess = (authorization: string | undefined) => Promise<AccessAnswer>;

interface TokenReview extends KubeObject {
  readonly spec: { readonly token: string };
  readonly status?: { readonly authenticated?: boolean; readonly user?: Identity };
}

interface Identity {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface SubjectAccessReview extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly allowed?: boolean };
}

const TokenReview: Kind<TokenReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenReview",
  plural: "tokenreviews",
  namespaced: false,
};
const SubjectAccessReview: Kind<SubjectAccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  namespaced: false,
};

/** What the account of a server needs that asks the cluster who can read its metrics. */
export const metricsAccessRules: readonly { apiGroups: string[]; resources: string[]; verbs: string[] }[] = [
  { apiGroups: [TokenReview.group], resources: [TokenReview.plural], verbs: ["create"] },
  { apiGroups: [SubjectAccessReview.group], resources: [SubjectAccessReview.plural], verbs: ["create"] },
];

/** A scraper sends the same token every few seconds; the cluster is asked about it once a minute. */
const keptFor = 60_000;
/** Tokens of strangers must not fill the memory. */
const maxKept = 100;

/**
 * Metrics are for whoever the cluster lets `get` the path `/metrics`: a TokenReview tells whose token it is, a SubjectAccessReview whether
 * that account can. Tokens are kept as digests only.
 *
 * @example const access = createMetricsAccess(client, Date.now); (await access("Bearer …")).status // 200
 */
export function createMetricsAccess(client: KubeClient, now: () => number): MetricsAccess {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<AccessAnswer> }>();
  return async (authorization) => {
    const [, token] = /^Bearer ([^\s]{1,8192})$/i.exec(authorization ?? "") ?? [];
    if (token === undefined) return refusals.noToken;
    const digest = createHash("sha256").update(token).digest("base64");
    const known = kept.get(digest);
    if (known !== undefined && known.until > now()) return known.answer;
    const answer = review(client, token).catch((): AccessAnswer => refusals.noAnswer);
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value ?? "");
    kept.set(digest, { until: now() + keptFor, answer });
    // What the cluster could not answer is asked again with the next request.
    if ((await answer).status === 503) kept.delete(digest);
    return answer;
  };
}

const refusals = {
  noToken: { status: 401, message: "metrics require authentication; send the token of a ServiceAccount" },
  badToken: { status: 401, message: "the token is not valid" },
  forbidden: { status: 403, message: "the account cannot read metrics; grant it get on the path /metrics" },
  noAnswer: { status: 503, message: "the cluster does not answer whether this account can read metrics" },
} as const satisfies Record<string, AccessAnswer>;

async function review(client: KubeClient, token: string): Promise<AccessAnswer> {
  const named = await client.create<TokenReview>(TokenReview, headOf(TokenReview, { token }));
  const user = named.status?.user;
  if (named.status?.authenticated !== true || user === undefined) return refusals.badToken;
  const nonResourceAttributes = { path: "/metrics", verb: "get" };
  const { username, uid, groups, extra } = user;
  const spec = { user: username, uid, groups, extra, nonResourceAttributes };
  const allowed = await client.create<SubjectAccessReview>(SubjectAccessReview, headOf(SubjectAccessReview, spec));
  return allowed.status?.allowed === true ? { status: 200, message: "" } : refusals.forbidden;
}

const headOf = <S extends object>({ group, version, kind }: Kind, spec: S) => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: {},
  spec,
});
