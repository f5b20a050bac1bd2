import type { ServerlessPlan, TrafficShare } from "@trivium/domain";
import { KnativeService } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "../metadata.ts";
import { withoutToken } from "./pod-template.ts";

type Template = NonNullable<KnativeService["spec"]["template"]>;
type RevisionSpec = NonNullable<Template["spec"]>;

export function emitKnativeService(plan: ServerlessPlan): Desired<KnativeService> {
  const { pod, concurrency, timeout, traffic } = plan;
  const spec: RevisionSpec = {
    ...(withoutToken(pod.spec) as RevisionSpec),
    ...(concurrency === undefined ? {} : { containerConcurrency: concurrency }),
    ...(timeout === undefined ? {} : { timeoutSeconds: timeout, responseStartTimeoutSeconds: timeout }),
  };
  const object: KnativeService = {
    apiVersion: "serving.knative.dev/v1",
    kind: "Service",
    metadata: metadataOf(plan),
    spec: {
      template: { metadata: { labels: { ...pod.labels }, annotations: { ...pod.annotations } }, spec },
      traffic: traffic.map(targetOf),
    },
  };
  return { kind: KnativeService, object };
}

const targetOf = ({ revision, percent, tag }: TrafficShare) => ({
  ...(revision === undefined ? { latestRevision: true } : { latestRevision: false, revisionName: revision }),
  percent,
  ...(tag === undefined ? {} : { tag }),
});
