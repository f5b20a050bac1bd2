import type { ObservedPod, WarningReport } from "@trivium/domain";
import type { MeasuredWeights, ObservedCanary } from "@trivium/engines";
import type { api, ObjectOf, OwnerReference } from "@trivium/kube";
import type { Tolerated } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import type { AIMKVCache } from "../../kinds/kv-cache.ts";
import type { AIMTemplateCache } from "../../kinds/template-cache.ts";
import type { Model, ModelStatus, ResolvedReference, Template, TemplateStatus } from "../../objects.ts";

import type { ObservedRuntimeConfig } from "../../runtime-config/settings/resolve.ts";
import type { ObservedNames } from "../names/kept-names.ts";
import type { ObservedShared } from "./shared.ts";

export type TemplateSpec = Extract<Template["spec"], { caching?: unknown }>;
export type KVCache = ObjectOf<typeof AIMKVCache>;
export type TemplateCache = ObjectOf<typeof AIMTemplateCache>;
type Scope = "Namespace" | "Cluster";

/** A model or template as far as a service cares. */
export interface ObservedModel {
  readonly kind: string;
  readonly scope: Scope;
  readonly name: string;
  readonly uid: string;
  readonly spec: Model["spec"];
  readonly status?: ModelStatus;
  /** Services that it hangs on, where it was made for them. */
  readonly owners: readonly OwnerReference[];
  /** Made for a service that named only an image or weights. */
  readonly isMadeForServices?: boolean;
}

export interface ObservedTemplate {
  readonly scope: Scope;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerReference[];
  readonly spec: TemplateSpec;
  readonly status?: TemplateStatus;
}

export interface ObservedTemplateCache {
  readonly name: string;
  readonly uid: string;
  readonly isLeaving: boolean;
  /** Whether it was made for this service. */
  readonly isOurs: boolean;
  /** Its weights are not downloaded before it is known whether they fit. */
  readonly isHeld?: true;
  readonly spec: TemplateCache["spec"];
  readonly status?: NonNullable<TemplateCache["status"]>;
}

/** What KServe says of what it runs. */
export interface ObservedInferenceService {
  readonly isReady: boolean;
  readonly message?: string;
  /** Its own word for what went wrong last. */
  readonly failure?: string;
  /** Where it answers inside the cluster. */
  readonly url?: string;
  /** Where its pods may go. */
  readonly nodes?: api.NodeAffinity;
}

export interface ObservedDeployment {
  readonly replicas: number;
  readonly template?: string;
  /** The mark of pods that an upgrade kept; they count as `template`. */
  readonly keeps?: string;
  /** Where its pods may go. */
  readonly nodes?: api.NodeAffinity;
  /** Why its pods cannot be created. */
  readonly refused?: string;
}

/** What scales a service, and what is there to do it. */
export interface ObservedScaling {
  /** Whether KEDA is installed, and who adds collectors of measurements to pods; asked where we make the objects that they need. */
  readonly keda?: Fact<boolean>;
  readonly collector?: Fact<boolean>;
  readonly autoscaler: Fact<ObservedAutoscaler>;
  /** An autoscaler that we made before still scales the service: KEDA takes nothing that another scales. */
  readonly hasFormer?: boolean;
  /** KEDA's own words for what is wrong. */
  readonly problem?: string;
}

export interface ObservedAutoscaler {
  readonly name: string;
  readonly current: number;
  readonly desired: number;
  readonly scales: Reported;
  readonly measures: Reported;
}
/** What a condition of somebody else says. */
type Reported = "well" | "unknown" | { readonly reason: string; readonly message: string };

export interface ObservedRoute {
  readonly createdAt?: string;
  /** Of each Gateway that answered: whether it takes the route, and what it says. */
  readonly parents: readonly { readonly accepted: boolean; readonly reason: string; readonly message: string }[];
}

/** Another route with the same path on the same Gateway. */
export interface ConflictingRoute {
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: string;
}

export interface ObservedKVCache {
  readonly uid: string;
  readonly isMadeForServices: boolean;
  readonly owners: readonly OwnerReference[];
  readonly spec: KVCache["spec"];
  readonly status?: NonNullable<KVCache["status"]>;
}

export interface ObservedService {
  /** Models that answer to what the service names; several only where it names an image. */
  readonly models: Fact<readonly ObservedModel[]>;
  readonly config: ObservedRuntimeConfig;
  /** The template that is named or was chosen before. */
  readonly template?: Fact<ObservedTemplate>;
  /** All that could be chosen; looked at only where a choice is open. */
  readonly candidates: readonly ObservedTemplate[];
  /** The default template of the model, where it names one. */
  readonly usual?: Fact<ObservedTemplate>;
  /** Whether KServe is to run it: it is installed, and nothing runs without it yet. */
  readonly kserve: Fact<boolean>;
  readonly inferenceService: Fact<ObservedInferenceService>;
  /** The newest Warning that was told of it, while it is not ready. */
  readonly warning?: Tolerated<WarningReport>;
  readonly deployment: Fact<ObservedDeployment>;
  /** Only where AIM Engine has created what serves, or its route, under another name. */
  readonly kept?: ObservedNames;
  readonly pods: readonly ObservedPod[];
  readonly route: Fact<ObservedRoute>;
  /** The Gateway that is to take the route; looked for only while none has answered. */
  readonly gateway?: Fact<true>;
  /** Only where the annotation asks for a canary. */
  readonly canary?: ObservedCanary;
  readonly conflicts: readonly ConflictingRoute[];
  readonly caches: readonly ObservedTemplateCache[];
  readonly temporaryClaim: Fact<true>;
  readonly kvCache?: Fact<ObservedKVCache>;
  /** Whether the Service exists in which replicas share prompts. */
  readonly promptCache?: Fact<true>;
  /** Only where something scales the service. */
  readonly scaling?: ObservedScaling;
  /** What was made for services and hangs on this one, whether it still uses it or not. */
  readonly shared?: readonly ObservedShared[];
  /** Secrets that somebody names and the namespace does not have. */
  readonly missingSecrets?: readonly string[];
  /** Memory of the largest node; only before a service without GPUs runs. */
  readonly nodeBytes?: number;
  /** Memory of one GPU, by model, of those that it could use; only before it runs. */
  readonly gpuBytes?: Readonly<Record<string, number>>;
  /** Sizes that caches measured of sources whose template states none, by sourceUri. */
  readonly measuredBytes?: Readonly<Record<string, number>>;
  /** What caches read in the headers of GGUF files, by sourceUri. */
  readonly measuredWeights?: Readonly<Record<string, MeasuredWeights>>;
}

/** Whether something was created that serves, by KServe or as a Deployment. */
export const isRunning = ({
  inferenceService,
  deployment,
}: Pick<ObservedService, "inferenceService" | "deployment">): boolean =>
  inferenceService.is === "known" || deployment.is === "known";

export const isOnKServe = ({ kserve }: Pick<ObservedService, "kserve">): boolean =>
  kserve.is === "known" && kserve.value;

export const referenceTo = (
  { scope, name, uid }: { scope: Scope; name: string; uid: string },
  kind: string,
  namespace: string | undefined,
): ResolvedReference => ({
  name,
  ...(scope === "Namespace" && namespace !== undefined ? { namespace } : {}),
  scope,
  kind,
  uid,
});
