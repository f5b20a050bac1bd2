import type { Desired } from "@trivium/reconcile";
import { deepEqual, sha256Hex } from "@trivium/std";
import { group } from "../../group.ts";
import { overrideHardware } from "../../hardware/override-hardware.ts";
import { AIMServiceTemplate } from "../../kinds/service-template.ts";
import { labels } from "../../labels.ts";
import { objectNameBefore } from "../../names.ts";
import { mergeEnv } from "../../runtime-config/settings/merge-env.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import { unionSecrets } from "../../runtime-config/settings/pull-secrets.ts";
import type { Service } from "../names/names.ts";
import type { ObservedTemplate, TemplateSpec } from "../observed/observed-service.ts";
import { cachingModeOf } from "../weights/caching-mode.ts";

type Overrides = NonNullable<Service["spec"]["overrides"]>;

export const hasOverrides = ({ spec }: Service): boolean => Object.keys(spec.overrides ?? {}).length > 0;

/** The same for all services that change the same things of a template. */
export function derivedTemplateName(base: string, overrides: Overrides): string {
  const { metric, precision, gpuSelector, hardware } = overrides;
  const { count, model, resourceName } = gpuSelector ?? {};
  const ordered = {
    metric,
    precision,
    gpuSelector: gpuSelector === undefined ? undefined : { count, model, resourceName },
    hardware,
  };
  return objectNameBefore(base, `-ovr-${sha256Hex(JSON.stringify(ordered)).slice(0, 8)}`);
}

/** What the template of this service says: the base with what the service changes. */
function derivedSpec({ spec }: Service, base: ObservedTemplate): TemplateSpec {
  const { metric, precision, gpuSelector, hardware } = spec.overrides ?? {};
  // A profile is made for one metric, precision and GPU, so the base's is not asked for any more.
  const { profileId: _, gpuSelector: baseSelector, hardware: baseHardware, caching: __, ...rest } = base.spec;
  const secrets = unionSecrets(spec.imagePullSecrets, rest.imagePullSecrets);
  const env = mergeEnv(rest.env, spec.env);
  const wanted = overrideHardware({ gpuSelector: baseSelector, hardware: baseHardware }, { gpuSelector, hardware });
  const caching = cachingOf({ spec } as Service, base);
  return {
    ...rest,
    ...(metric === undefined ? {} : { metric }),
    ...(precision === undefined ? {} : { precision }),
    ...(wanted.gpuSelector === undefined ? {} : { gpuSelector: wanted.gpuSelector }),
    ...(wanted.hardware === undefined ? {} : { hardware: wanted.hardware }),
    ...(spec.runtimeConfigName === undefined ? {} : { runtimeConfigName: spec.runtimeConfigName }),
    ...(secrets.length === 0 ? {} : { imagePullSecrets: secrets }),
    ...(spec.serviceAccountName === undefined ? {} : { serviceAccountName: spec.serviceAccountName }),
    ...(spec.resources === undefined ? {} : { resources: spec.resources }),
    ...(env.length === 0 ? {} : { env }),
    ...(caching === undefined ? {} : { caching }),
  };
}

/** A service that asks for a shared cache asks for one of its template; one that does not takes nothing away. */
function cachingOf(service: Service, { spec: { caching } }: ObservedTemplate): TemplateSpec["caching"] {
  if (cachingModeOf(service) !== "Shared") return caching;
  const env = mergeEnv(caching?.env, service.spec.caching?.env);
  return { ...caching, enabled: true, ...(env.length === 0 ? {} : { env }) };
}

/** Fields that decide how a model runs; two templates that agree on them are the same to a service. */
const essence = ({ modelName, aimImageName, metric, precision, gpuSelector, hardware }: TemplateSpec) => ({
  modelName: modelName ?? aimImageName,
  metric,
  precision,
  gpuSelector:
    gpuSelector === undefined ? undefined : { ...gpuSelector, resourceName: gpuSelector.resourceName ?? "amd.com/gpu" },
  hardware,
});

/** A template that is there already and comes to the same; a cluster-wide one only where the service adds nothing of its own. */
export function equalTemplate(
  service: Service,
  base: ObservedTemplate,
  candidates: readonly ObservedTemplate[],
): ObservedTemplate | undefined {
  const wanted = essence(derivedSpec(service, base));
  const { env, imagePullSecrets } = service.spec;
  const isPlain = env === undefined && imagePullSecrets === undefined && cachingModeOf(service) === "Auto";
  const equal = candidates.filter(({ spec }) => deepEqual(essence(spec), wanted));
  const named = (scope: ObservedTemplate["scope"]) =>
    equal.filter((one) => one.scope === scope).sort((a, b) => (a.name < b.name ? -1 : 1))[0];
  return named("Namespace") ?? (isPlain ? named("Cluster") : undefined);
}

export function derivedTemplate(service: Service, base: ObservedTemplate, settings: Settings): Desired {
  const name = derivedTemplateName(base.name, service.spec.overrides ?? {});
  const own = { [labels.derivedTemplate]: "true", [labels.managedBy]: "aim-controller" };
  const object = {
    apiVersion: `${group.group}/${group.version}`,
    kind: AIMServiceTemplate.kind,
    metadata: { name, labels: propagateLabels(settings, service.metadata.labels, own) },
    spec: derivedSpec(service, base),
  };
  return { kind: AIMServiceTemplate, object, outlivesOwner: true, createOnly: true };
}
