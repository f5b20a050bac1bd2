import { emitJob, keepObject } from "@trivium/emitters";
import { Job, type Kind } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { AIMTemplateCache } from "../../kinds/template-cache.ts";
import type { Template } from "../../objects.ts";
import { mergeEnv } from "../../runtime-config/settings/merge-env.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import { movedImage, planDiscoveryJob } from "../discovery/discovery-job.ts";
import type { Ready, TemplateOutcome } from "../discovery/outcome.ts";
import type { TemplateIntent } from "../lower.ts";
import { type ObservedJob, type ObservedTemplate, type TemplateScope, wantsCache } from "../observe.ts";
import { emitServingRuntime } from "./serving-runtime.ts";

type Judged = Extract<TemplateIntent, { is: "judged" }>;

interface ChildContext {
  readonly observed: ObservedTemplate;
  readonly scope: TemplateScope;
  /** Where Jobs of the template run. */
  readonly namespace: string;
}

/** The Job while it is needed, and what services on this template use. That stays also when the template is not ready for a while. */
export function childrenOf(template: Template, intent: Judged, context: ChildContext): Desired[] {
  return [
    ...jobs(template, intent, context),
    ...runtimes(template, intent, context),
    ...caches(template, intent, context.observed),
  ];
}

function jobs(template: Template, intent: Judged, { observed, namespace }: ChildContext): Desired[] {
  const { outcome, plan, config, model } = intent;
  const there = observed.jobs
    .filter((job) => !isStale(job, outcome))
    .map(({ name }) => keepObject(Job, { name, namespace }));
  const asking = outcome.is === "ready" ? outcome.refresh : outcome;
  if (asking?.is !== "running" || !asking.isNew || plan === undefined) return there;
  const { job: name } = asking;
  const isMoved = outcome.is === "ready" && model?.digest !== undefined;
  const image = isMoved ? movedImage(plan.image, model?.digest ?? "") : plan.image;
  const { jobResources: resources } = observed;
  const job = planDiscoveryJob(template, plan, { name, namespace, settings: config.settings, image, resources });
  const message = `Created Job ${namespace}/${name} to inspect image ${image}`;
  const made = { type: "Normal", reason: "DiscoveryStarted", message } as const;
  const failed = {
    type: "Warning",
    reason: "DiscoveryFailed",
    message: `Job ${namespace}/${name} cannot be created`,
  } as const;
  return [...there, { ...emitJob(job), events: { made, failed } }];
}

/** A Job that asks what nobody wants to know any more would wait half an hour for an image that does not come. */
function isStale({ is, name }: ObservedJob, outcome: TemplateOutcome): boolean {
  const asking = outcome.is === "ready" ? outcome.refresh : outcome;
  return is === "active" && (asking === undefined || ("job" in asking && asking.job !== name));
}

function runtimes(template: Template, intent: Judged, { observed, scope }: ChildContext): Desired[] {
  const kind = scope.runtimes as Kind;
  const servesRuntimes = observed.servesRuntimes.tolerated;
  if (servesRuntimes.is === "absent" || (servesRuntimes.is === "known" && !servesRuntimes.value)) return [];
  const { outcome, plan, config, request } = intent;
  // While it is not known whether there is such a kind, or what it should be, one that is there stays.
  if (outcome.is !== "ready" || plan === undefined || servesRuntimes.is !== "known")
    return [keepObject(kind, { name: template.metadata.name ?? "" })];
  const gpuCount = outcome.profile.metadata?.gpuCount ?? request.count ?? 0;
  const { resourceName } = request;
  const modelId = modelIdOf(outcome) ?? plan.model;
  const object = emitServingRuntime(template, kind, {
    plan,
    settings: config.settings,
    gpuCount,
    resourceName,
    modelId,
  });
  return [{ kind, object }];
}

const modelIdOf = ({ sources: [first] }: Ready): string | undefined => first?.modelId ?? first?.name;

function caches(template: Template, { outcome, config }: Judged, { cache }: ObservedTemplate): Desired[] {
  if (!wantsCache(template) || cache === undefined) return [];
  const { name = "", namespace = "", labels } = template.metadata;
  // Somebody else's cache of that name serves as well, and stays his.
  if (cache.is === "known" && !cache.value.isOwn) return [];
  const isClear = cache.is === "absent" || cache.is === "known";
  if (!isClear || outcome.is !== "ready" || outcome.sources.length === 0)
    return [keepObject(AIMTemplateCache, { name, namespace })];
  const { settings } = config;
  const { runtimeConfigName, imagePullSecrets = [] } = template.spec;
  const caching = "caching" in template.spec ? template.spec.caching : undefined;
  const env = mergeEnv(template.spec.env, caching?.env);
  const { storageClassName } = settings;
  const handed = propagateLabels(settings, labels);
  const object = {
    apiVersion: template.apiVersion,
    kind: AIMTemplateCache.kind,
    metadata: { name, namespace, ...(Object.keys(handed).length === 0 ? {} : { labels: handed }) },
    spec: {
      templateRef: name,
      ...(env.length === 0 ? {} : { env }),
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(runtimeConfigName === undefined ? {} : { runtimeConfigName }),
      ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: imagePullSecrets.map((one) => ({ ...one })) }),
    },
  };
  return [{ kind: AIMTemplateCache, object }];
}
