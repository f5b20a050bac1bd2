import { keepObject } from "@trivium/emitters";
import {
  Service as Address,
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  HTTPRoute,
  type Kind,
  KServeInferenceService,
  OpenTelemetryCollector,
  PersistentVolumeClaim,
  ScaledObject,
} from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { AIMTemplateCache } from "../../kinds/template-cache.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import {
  addressNameOf,
  lmCacheConfigOf,
  routeNameOf,
  type Service,
  scaledNameOf,
  temporaryClaimOf,
  workloadNameOf,
} from "../names/names.ts";
import type { ObservedService } from "../observed/observed-service.ts";
import type { Choice } from "../selection/choose.ts";
import { isScaled, planReplicas } from "./replicas.ts";

/** What scales a service where KServe does not. */
export const scalers = [HorizontalPodAutoscaler, ScaledObject, OpenTelemetryCollector] as const;

const keptScalers = (service: Service): readonly (readonly [Kind, string])[] => [
  [HorizontalPodAutoscaler, addressNameOf(service)],
  [ScaledObject, scaledNameOf(service)],
  [OpenTelemetryCollector, addressNameOf(service)],
];

interface KeepInput {
  readonly children: readonly Desired[];
  readonly isServing: boolean;
  readonly observed: ObservedService;
  readonly settings: Settings | undefined;
  readonly template: Choice["template"];
}

/** What runs stays as it is while something that it was made of is missing: only what is known to be unwanted goes. */
export function keptChildren(
  service: Service,
  { children, isServing, observed, settings, template }: KeepInput,
): Desired[] {
  const isPlanned = (kind: Kind): boolean => children.some((child) => child.kind.kind === kind.kind);
  const keep = (kind: Kind, name: string): Desired[] => (isPlanned(kind) ? [] : [keepObject(kind, { name })]);
  const isRouteOpen = settings === undefined || template === undefined;
  const hasScaler = isScaled(planReplicas(service));
  const caches = observed.caches.filter(({ isOurs, spec }) => isOurs && spec.mode === "Dedicated");
  return [
    ...(isRouteOpen ? keep(HTTPRoute, routeNameOf(service)) : []),
    ...(isServing
      ? []
      : [
          ...keep(KServeInferenceService, workloadNameOf(service)),
          ...keep(Deployment, addressNameOf(service)),
          ...keep(Address, addressNameOf(service)),
          ...(hasScaler ? keptScalers(service).flatMap(([kind, name]) => keep(kind, name)) : []),
          ...keep(PersistentVolumeClaim, temporaryClaimOf(service)),
          ...(service.spec.kvCache === undefined ? [] : keep(ConfigMap, lmCacheConfigOf(service))),
          ...caches
            .filter(({ name }) => !children.some(({ object }) => object.metadata.name === name))
            .map(({ name }) => keepObject(AIMTemplateCache, { name })),
        ]),
  ];
}
