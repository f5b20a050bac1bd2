import {
  type api,
  groupResourceOf,
  type HorizontalPodAutoscaler,
  type KubeObject,
  matchesLabels,
  Pod,
  selectorOf,
} from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import type { Measured } from "./proposal.ts";
import { externalMetric, objectMetric, podMetric, podUsage } from "./queries.ts";
import type { Scale, ScaleTarget } from "./targets.ts";

export interface ObservedAutoscaler {
  /** What is to be scaled: how many it wants and has. */
  readonly target: Fact<Scale>;
  /** How the API calls the kind of the target; nothing when it is no kind that can be scaled here. */
  readonly resource: string | undefined;
  readonly pods: readonly Pod[];
  /** One answer for each metric, in their order. */
  readonly measured: { readonly [metric: number]: Measured };
}

export function targetKind(
  { spec }: HorizontalPodAutoscaler,
  targets: readonly ScaleTarget[],
): ScaleTarget | undefined {
  const { kind, apiVersion = "" } = spec?.scaleTargetRef ?? {};
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
  return targets.find((target) => target.kind.kind === kind && target.kind.group === group);
}

export function observe(
  autoscaler: HorizontalPodAutoscaler,
  reader: Reader,
  targets: readonly ScaleTarget[],
): ObservedAutoscaler {
  const { namespace = "" } = autoscaler.metadata;
  const target = targetKind(autoscaler, targets);
  if (target === undefined) return { target: { is: "absent" }, resource: undefined, pods: [], measured: {} };
  const resource = groupResourceOf(target.kind);
  const object: Fact<KubeObject> = reader.get(target.kind, {
    namespace,
    name: autoscaler.spec?.scaleTargetRef.name ?? "",
  });
  if (object.is !== "known") return { target: object, resource, pods: [], measured: {} };
  const scale = target.scaleOf(object.value);
  const selector = selectorOf(scale.selector);
  const pods = reader
    .list(Pod, { namespace, labels: scale.selector?.matchLabels ?? {} })
    .filter(({ metadata }) => matchesLabels(selector, metadata.labels));
  const names = pods.map(({ metadata }) => metadata.name ?? "").sort();
  const answers = (autoscaler.spec?.metrics ?? []).map((metric) => ask(metric, { namespace, pods: names, reader }));
  return { target: { is: "known", value: scale }, resource, pods, measured: { ...answers } };
}

interface Asking {
  readonly namespace: string;
  readonly pods: readonly string[];
  readonly reader: Reader;
}

function ask(spec: api.MetricSpec, { namespace, pods, reader }: Asking): Measured {
  const { resource, containerResource, object, external } = spec;
  if (resource !== undefined) return reader.ask(podUsage, { namespace, pods, resource: resource.name });
  if (containerResource !== undefined) {
    const { name, container } = containerResource;
    return reader.ask(podUsage, { namespace, pods, resource: name, container });
  }
  const { name: metric = "", selector } = (spec.pods ?? object ?? external)?.metric ?? {};
  const what = { namespace, metric, ...(selector === undefined ? {} : { selector }) };
  if (object === undefined)
    return external === undefined ? reader.ask(podMetric, { ...what, pods }) : reader.ask(externalMetric, what);
  const { kind, name } = object.describedObject;
  return reader.ask(objectMetric, { ...what, object: { kind, name } });
}
