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
import {
  addressNameOf,
  canaryNamesOf,
  lmCacheConfigOf,
  routeNameOf,
  type Service,
  scaledNameOf,
  temporaryClaimOf,
  workloadNameOf,
} from "../names/names.ts";
import type { ObservedService } from "../observed/observed-service.ts";
import { isScaled } from "./replicas.ts";
import type { ServiceParts } from "./service-parts.ts";

/** What scales a service where KServe does not. */
export const scalers = [HorizontalPodAutoscaler, ScaledObject, OpenTelemetryCollector] as const;

const keptScalers = (service: Service): readonly (readonly [Kind, string])[] => [
  [HorizontalPodAutoscaler, addressNameOf(service)],
  [ScaledObject, scaledNameOf(service)],
  [OpenTelemetryCollector, addressNameOf(service)],
];

function keptCanary(service: Service): Desired[] {
  const { workload, address } = canaryNamesOf(service);
  return [keepObject(Deployment, { name: workload }), keepObject(Address, { name: address })];
}

interface KeepInput {
  readonly service: Service;
  readonly parts: ServiceParts;
  readonly observed: ObservedService;
  readonly children: readonly Desired[];
  /** Whether what serves is planned whole. */
  readonly isPlanned: boolean;
}

/** What runs is unchanged while something that it was built from is missing: only what is known to be unwanted is deleted. */
export function keptChildren({ service, parts, observed, children, isPlanned: isWhole }: KeepInput): Desired[] {
  const { settings, selected, replicas } = parts;
  const isPlanned = (kind: Kind): boolean => children.some((child) => child.kind.kind === kind.kind);
  const keep = (kind: Kind, name: string): Desired[] => (isPlanned(kind) ? [] : [keepObject(kind, { name })]);
  const isRouteOpen = settings === undefined || selected.template === undefined;
  const hasScaler = isScaled(replicas);
  const caches = observed.caches.filter(({ isOurs, spec }) => isOurs && spec.mode === "Dedicated");
  return [
    ...(isRouteOpen ? keep(HTTPRoute, routeNameOf(service)) : []),
    ...(isWhole
      ? []
      : [
          ...keep(KServeInferenceService, workloadNameOf(service)),
          ...keep(Deployment, addressNameOf(service)),
          ...keep(Address, addressNameOf(service)),
          ...(observed.canary === undefined ? [] : keptCanary(service)),
          ...(hasScaler ? keptScalers(service).flatMap(([kind, name]) => keep(kind, name)) : []),
          ...keep(PersistentVolumeClaim, temporaryClaimOf(service)),
          ...(service.spec.kvCache === undefined ? [] : keep(ConfigMap, lmCacheConfigOf(service))),
          ...caches
            .filter(({ name }) => !children.some(({ object }) => object.metadata.name === name))
            .map(({ name }) => keepObject(AIMTemplateCache, { name })),
        ]),
  ];
}
