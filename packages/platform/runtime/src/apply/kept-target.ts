import type { KubeObject, Service } from "@trivium/kube";
import { isObject, type JsonObject } from "@trivium/std";
import type { Child } from "./child.ts";
import { withKeptTemplate } from "./kept-template.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * The children as they are applied. Where pods are kept, so are the selector and the ports of the Services in front of them: labels and
 * names of ports that only our own pods have would lead nowhere.
 */
export function withKeptTargets(context: WriteContext, children: readonly Child[]): Child[] {
  const live = (child: Child): KubeObject | undefined => context.caches.of(child.kind).get(child.ref);
  const rendered = children.map((child) =>
    child.desired.keep ? child : withKeptTemplate(context, child, live(child)),
  );
  const kept = children.filter((child, at) => isTemplateKept(child, rendered[at]));
  if (kept.length === 0) return rendered;
  return rendered.map((child) => {
    const before = live(child) as Service | undefined;
    const isInFront = child.kind.kind === "Service" && kept.some((workload) => selects(child, workload));
    return isInFront && before !== undefined ? withTargetOf(child, before) : child;
  });
}

function isTemplateKept(decided: Child, rendered: Child | undefined): boolean {
  const [wanted, applied] = [templateOf(decided), rendered === undefined ? undefined : templateOf(rendered)];
  return wanted !== undefined && wanted !== applied;
}

const templateOf = ({ object }: Child): JsonObject | undefined =>
  (object as { spec?: { template?: JsonObject } }).spec?.template;

/** Whether the pods that we would create are those of the Service. */
function selects({ object }: Child, workload: Child): boolean {
  const { selector = {} } = (object as Service).spec ?? {};
  const { metadata } = (templateOf(workload) ?? {}) as { metadata?: { labels?: Record<string, string> } };
  const labels = metadata?.labels ?? {};
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

function withTargetOf(child: Child, { spec: before }: Service): Child {
  const { spec } = child.object as Service;
  if (!isObject(spec) || before === undefined) return child;
  const { selector, ports } = before;
  const kept = { ...(selector === undefined ? {} : { selector }), ...(ports === undefined ? {} : { ports }) };
  return { ...child, object: { ...child.object, spec: { ...spec, ...kept } } as KubeObject };
}
