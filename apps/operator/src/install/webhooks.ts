import type { Dialect } from "@trivium/reconcile";
import { emitWebhooks } from "@trivium/runtime";
import { configurationRule, secretRule } from "../webhooks/webhook-rights.ts";
import { both, not, type Settings } from "./chart-values.ts";
import { grant } from "./grants.ts";
import { labelsOf, metadataOf, openPort, selectorOf } from "./pod.ts";
import type { Open, Part, Value } from "./value.ts";

const file = "webhooks";
const component = "operator-webhooks";
const operator = "operator";
const port = 9443;

/** Admission webhooks of the operator: their address, their configurations, and the Secret that the operator keeps certificates in. */
export function webhookParts(s: Settings, dialects: readonly Dialect[]): Part[] {
  const when = hasWebhooks(s);
  const within = s.namespace;
  return [
    { file, when, object: secret(s) },
    { file, when, object: service(s) },
    { file, when: both(when, s.isOn("networkPolicy")), object: openPort(s, component, port) },
    ...grant(s, { file, when, component: operator, name: component, rules: namedRule(s, secretRule), within }),
    ...grant(s, { file, when, component: operator, name: component, rules: namedRule(s, configurationRule) }),
    ...configurations(s, dialects),
  ];
}

/** OME is the only API with admission. */
export const hasWebhooks = (s: Settings): Value => both(s.isOn("webhooks.enabled"), s.hasDialect("ome"));

/** Options of the operator, as an expression of Helm and as they are without it. */
export function webhookArguments(s: Settings): { readonly helm: string; readonly concrete: readonly string[] } {
  const name = s.nameText(component);
  const listed = [
    `"--webhook-listen=:${port}"`,
    `(printf "--webhook-cert-secret=%s-${component}" .Release.Name)`,
    `(printf "--webhook-configuration=%s-${component}" .Release.Name)`,
    `(printf "--webhook-at=%s/%s-${component}:${port}" .Release.Namespace .Release.Name)`,
  ];
  const concrete = [
    `--webhook-listen=:${port}`,
    `--webhook-cert-secret=${name}`,
    `--webhook-configuration=${name}`,
    `--webhook-at=${s.namespaceText}/${name}:${port}`,
  ];
  const condition = hasWebhooks(s);
  return {
    helm: `(ternary (list ${listed.join(" ")}) (list) (${condition.helm}))`,
    concrete: condition.concrete === true ? concrete : [],
  };
}

/** Empty: the operator fills it, and Helm neither overwrites nor leaves behind what it contains. */
const secret = (s: Settings): Part["object"] => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: metadataOf(s, component),
  type: "Opaque",
});

const service = (s: Settings): Part["object"] => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: metadataOf(s, component),
  spec: { selector: selectorOf(s, operator), ports: [{ name: "https", port, targetPort: port, protocol: "TCP" }] },
});

/** A rule about the one object whose name the release decides. */
const namedRule = (s: Settings, ruleOf: (name: string) => object): never =>
  [{ ...ruleOf(""), resourceNames: [s.name(component)] }] as never;

/** With one namespace, only objects of that one are sent. */
function configurations(s: Settings, dialects: readonly Dialect[]): Part[] {
  const admissions = dialects.flatMap((dialect) => dialect.admissions ?? []);
  const place = { is: "service", namespace: "", name: "", port } as const;
  const emit = (namespace?: string) =>
    emitWebhooks(admissions, { name: "", place, failurePolicy: "Ignore", timeoutSeconds: 5, namespace });
  const partsOf = (when: Value, namespace?: string): Part[] =>
    emit(namespace).map((object) => ({ file, when: both(hasWebhooks(s), when), object: opened(s, object as never) }));
  return [...partsOf(not(s.hasNamespace())), ...partsOf(s.hasNamespace(), "one")];
}

interface Emitted {
  readonly webhooks: readonly {
    readonly clientConfig: { readonly service: object };
    readonly namespaceSelector?: object;
  }[];
}

/** The configuration with everything that a release decides as a value. */
function opened(s: Settings, configuration: Emitted): Part["object"] {
  const webhooks = configuration.webhooks.map((webhook) => ({
    ...webhook,
    clientConfig: { service: { ...webhook.clientConfig.service, namespace: s.namespace, name: s.name(component) } },
    failurePolicy: s.value("webhooks.failurePolicy"),
    ...(webhook.namespaceSelector === undefined
      ? {}
      : { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": s.value("namespace") } } }),
  }));
  const metadata = { name: s.name(component), labels: labelsOf(component) };
  return { ...configuration, metadata, webhooks: webhooks as unknown as Open };
}
