import type { AnyObject } from "@trivium/kube";
import type { AnyAdmission } from "@trivium/reconcile";
import { type WebhookPath, webhookPaths } from "./webhook-path.ts";

/** Where an API server finds the webhooks. */
export type WebhookPlace =
  | { readonly is: "url"; readonly url: string }
  | { readonly is: "service"; readonly namespace: string; readonly name: string; readonly port: number };

export interface WebhookOptions {
  /** Name of both configurations. */
  readonly name: string;
  readonly place: WebhookPlace;
  /** PEM of the authority whose certificate the webhooks show; left out where the operator adds it. */
  readonly authority?: string | undefined;
  /** What becomes of a write that nobody can be asked about. */
  readonly failurePolicy: "Fail" | "Ignore";
  readonly timeoutSeconds: number;
  /** Only writes in this namespace, and to kinds that have none. */
  readonly namespace?: string | undefined;
}

const apiVersion = "admissionregistration.k8s.io/v1";

/** What an administrator applies so that an API server asks the webhooks. */
export function emitWebhooks(admissions: readonly AnyAdmission[], request: WebhookOptions): AnyObject[] {
  const paths = webhookPaths(admissions);
  const webhooksOf = (does: WebhookPath["does"]) =>
    paths.filter((path) => path.does === does).map((path) => webhookOf(path, request));
  const { name } = request;
  const both = [
    { apiVersion, kind: "MutatingWebhookConfiguration", metadata: { name }, webhooks: webhooksOf("fill") },
    { apiVersion, kind: "ValidatingWebhookConfiguration", metadata: { name }, webhooks: webhooksOf("judge") },
  ];
  return both.filter(({ webhooks }) => webhooks.length > 0);
}

function webhookOf({ path, does, admission }: WebhookPath, request: WebhookOptions) {
  const { group, version, plural, namespaced } = admission.kind;
  const verbs = does === "fill" ? ["create", "update"] : admission.verbs;
  const { place, authority, failurePolicy, timeoutSeconds, namespace } = request;
  const where =
    place.is === "url"
      ? { url: `${place.url.replace(/\/+$/, "")}${path}` }
      : { service: { namespace: place.namespace, name: place.name, port: place.port, path } };
  return {
    name: `${does === "fill" ? "mutate" : "validate"}.${plural}.${group}`,
    admissionReviewVersions: ["v1"],
    clientConfig: {
      ...where,
      ...(authority === undefined ? {} : { caBundle: Buffer.from(authority).toString("base64") }),
    },
    rules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: verbs.map((verb) => verb.toUpperCase()),
        resources: [plural],
        scope: namespaced ? "Namespaced" : "Cluster",
      },
    ],
    ...(namespace === undefined || !namespaced
      ? {}
      : { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } }),
    failurePolicy,
    timeoutSeconds,
    matchPolicy: "Equivalent",
    sideEffects: "None",
  };
}
