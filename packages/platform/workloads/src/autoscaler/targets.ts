import {
  Deployment,
  type Kind,
  type KubeObject,
  type LabelSelectorObject,
  ReplicaSet,
  StatefulSet,
} from "@trivium/kube";

/** A kind that can be scaled: how many it wants, has, and which pods those are. */
export interface ScaleTarget<O extends KubeObject = KubeObject> {
  readonly kind: Kind<O>;
  scaleOf(object: O): Scale;
}

export interface Scale {
  readonly wanted: number;
  readonly there: number;
  readonly selector: LabelSelectorObject | undefined;
}

interface Replicated extends KubeObject {
  spec?: { replicas?: number | undefined; selector?: LabelSelectorObject | undefined } | undefined;
  status?: { replicas?: number | undefined } | undefined;
}

const replicated = (kind: Kind): ScaleTarget => ({
  kind,
  scaleOf(object) {
    const { spec, status } = object as Replicated;
    return { wanted: spec?.replicas ?? 1, there: status?.replicas ?? 0, selector: spec?.selector };
  },
});

/** What Kubernetes itself can scale. An app adds kinds of its own. */
export const workloadTargets: readonly ScaleTarget[] = [Deployment, StatefulSet, ReplicaSet].map(replicated);
