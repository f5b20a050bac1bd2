import type { PodPlan, ServerlessPlan } from "@trivium/domain";
import { fitRevision, servingAnnotations } from "@trivium/engines";
import { objectNameOf } from "../names/labels.ts";
import { planPod } from "../pod/pod-plan.ts";
import { shareTraffic } from "../traffic/knative-traffic.ts";
import type { ComponentSpec } from "./component.ts";
import {
  accessOf,
  type ComponentInput,
  type ComponentParts,
  componentLabelsOf,
  type Planned,
  planAddress,
  podInputOf,
  workloadAnnotationsOf,
} from "./component-parts.ts";
import { boundsOf } from "./replicas.ts";

/** A component that Knative starts and stops with the requests. */
export interface ServerlessComponent extends ComponentParts {
  readonly mode: "Serverless";
  readonly serverless: ServerlessPlan;
  /** Where Knative says that it is reached, from outside and from inside. */
  readonly url?: string | undefined;
  readonly addressUrl?: string | undefined;
  /** The host of the first. */
  readonly host?: string | undefined;
}

export function planServerless(input: ComponentInput): Planned<ServerlessComponent> {
  const { service, component, spec, revision } = input;
  const planned = planPod(podInputOf(input));
  if (planned.is === "faulty") return planned;
  const { pod, main, ignored } = planned;
  const name = objectNameOf(service, component);
  const { spec: fitted, lost } = fitRevision(pod.spec);
  const serverless: ServerlessPlan = {
    name,
    labels: componentLabelsOf(input),
    annotations: { ...workloadAnnotationsOf(input, { is: "elsewhere" }), ...movedOf(service.metadata.annotations) },
    pod: revisionPod({ ...pod, spec: fitted }, input),
    concurrency: spec.containerConcurrency,
    timeout: spec.timeoutSeconds,
    traffic: shareTraffic(service, component, spec.canaryTrafficPercent),
  };
  const address = planAddress(input, main);
  const plan: ServerlessComponent = {
    mode: "Serverless",
    name: component,
    object: name,
    serverless,
    // Knative makes the Service of this name by itself.
    address: { ...address, name, ports: [{ name: "http", port: 80, target: address.ports[0]?.target ?? 8080 }] },
    replicas: { ...boundsOf(component, spec), current: spec.minReplicas ?? 1 },
    timeoutSeconds: spec.timeoutSeconds,
    access: accessOf(input),
    url: revision?.url,
    addressUrl: revision?.address,
    host: hostOf(revision?.url),
    warnings: [...lostWarning(component, lost), ...sleepWarning(component, spec, serverless)],
    ignored: input.annotations.isStopped === true ? [...ignored, notStopped] : ignored,
  };
  return { is: "planned", plan };
}

const lostWarning = (component: string, lost: readonly string[]): string[] =>
  lost.length === 0 ? [] : [`${component} runs without ${lost.join(", ")}, which Knative does not support`];

const notStopped = `Annotation ${servingAnnotations.stopped} has no effect: Knative starts pods for requests; set ome.io/deploymentMode to RawDeployment, or delete the service`;

const prefix = "autoscaling.knative.dev/";
const ofUtilization = `hpa.${prefix.slice(0, -1)}`;

const sleepWarning = (component: string, spec: ComponentSpec, { pod }: ServerlessPlan): string[] =>
  spec.minReplicas === 0 && pod.annotations[`${prefix}class`] === ofUtilization
    ? [
        `${component} is never scaled to zero: Knative cannot scale to zero by ${spec.scaleMetric}; use scaleMetric concurrency or rps`,
      ]
    : [];

/** The pod with what Knative's autoscaler goes by. */
function revisionPod(pod: PodPlan, input: ComponentInput): PodPlan {
  return { ...pod, annotations: { ...scaleAnnotationsOf(input), ...pod.annotations } };
}

/** What the user wrote in Knative's own words wins: it is among the annotations of the pod already. */
function scaleAnnotationsOf({ component, spec }: ComponentInput): Record<string, string> {
  const { minReplicas, maxReplicas, scaleMetric, scaleTarget } = spec;
  const max = maxReplicas === 0 ? 0 : boundsOf(component, spec).max;
  const byUtilization = scaleMetric === "cpu" || scaleMetric === "memory";
  return {
    [`${prefix}class`]: byUtilization ? ofUtilization : `kpa.${prefix.slice(0, -1)}`,
    [`${prefix}min-scale`]: String(minReplicas ?? 1),
    ...(max === 0 ? {} : { [`${prefix}max-scale`]: String(max) }),
    ...(scaleTarget === undefined ? {} : { [`${prefix}target`]: String(scaleTarget) }),
    ...(scaleMetric === undefined ? {} : { [`${prefix}metric`]: scaleMetric }),
  };
}

const moved = ["serving.knative.dev/rollout-duration", "serving.knative.openshift.io/enablePassthrough"];

const movedOf = (annotations: Readonly<Record<string, string>> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => moved.includes(key)));

/** Without a URL parser, which is not everywhere: what stands between the slashes, without a port. */
const hostOf = (url: string | undefined): string | undefined => /^\w+:\/\/([^/:]+)/.exec(url ?? "")?.[1];
