import { Job, type Kind, type KubeObject } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import type { Template } from "../objects.ts";
import { mergeEnv } from "../runtime-config/merge-env.ts";
import { propagateLabels } from "../runtime-config/propagate-labels.ts";
import { emitDiscoveryJob } from "./discovery-job.ts";
import type { TemplateIntent, TemplateVerdict } from "./lower.ts";
import { type TemplateScope, type TemplateSeen, wantsCache } from "./observe.ts";
import { emitServingRuntime } from "./serving-runtime.ts";

type Judged = Extract<TemplateIntent, { is: "judged" }>;
type Ready = Extract<TemplateVerdict, { is: "ready" }>;

export interface ChildContext {
  readonly seen: TemplateSeen;
  readonly scope: TemplateScope;
  /** Where Jobs of the template run. */
  readonly namespace: string;
}

/** The Job while it is needed, and what services on this template use. That stays also when the template is not ready for a while. */
export function childrenOf(template: Template, intent: Judged, context: ChildContext): Desired[] {
  return [
    ...jobs(template, intent, context),
    ...runtimes(template, intent, context),
    ...caches(template, intent, context.seen),
  ];
}

function jobs(template: Template, { verdict, plan, config }: Judged, { seen, namespace }: ChildContext): Desired[] {
  const there = seen.jobs.map(({ name }) => keep(Job, { name, namespace }));
  if (verdict.is !== "running" || !verdict.isNew || plan === undefined) return there;
  const { job: name } = verdict;
  const object = emitDiscoveryJob(template, plan, { name, namespace, settings: config.settings });
  const message = `Job ${namespace}/${name} asks ${plan.image} what it needs`;
  const made = { type: "Normal", reason: "DiscoveryStarted", message } as const;
  const failed = {
    type: "Warning",
    reason: "DiscoveryFailed",
    message: `Job ${namespace}/${name} cannot be made`,
  } as const;
  return [...there, { kind: Job, object, createOnly: true, news: { made, failed } }];
}

function runtimes(template: Template, intent: Judged, { seen, scope }: ChildContext): Desired[] {
  const kind = scope.runtimes as Kind;
  const { servesRuntimes } = seen;
  if (servesRuntimes.is === "absent" || (servesRuntimes.is === "known" && !servesRuntimes.value)) return [];
  const { verdict, plan, config, wish } = intent;
  // While it is not known whether there is such a kind, or what it should be, one that is there stays.
  if (verdict.is !== "ready" || plan === undefined || servesRuntimes.is !== "known")
    return [keep(kind, { name: template.metadata.name ?? "" })];
  const gpuCount = verdict.profile.metadata?.gpuCount ?? wish.count ?? 0;
  const { resourceName } = wish;
  const modelId = modelIdOf(verdict) ?? plan.model;
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

function caches(template: Template, { verdict, config }: Judged, { cache }: TemplateSeen): Desired[] {
  if (!wantsCache(template) || cache === undefined) return [];
  const { name = "", namespace = "", labels } = template.metadata;
  // Somebody else's cache of that name serves as well.
  const isClear = cache.is === "absent" || (cache.is === "known" && cache.value.isOwn);
  if (!isClear || verdict.is !== "ready" || verdict.sources.length === 0)
    return [keep(AIMTemplateCache, { name, namespace })];
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

function keep(kind: Kind, { name, namespace }: { name: string; namespace?: string }): Desired {
  const object: KubeObject = {
    apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  };
  return { kind, object, keep: true };
}
