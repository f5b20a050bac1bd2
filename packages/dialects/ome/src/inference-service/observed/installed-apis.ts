import { gatewayController, isServed } from "@trivium/domain";
import { findCondition, GatewayClass, type Kind, KnativeService, LeaderWorkerSet, ScaledObject } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, known, once } from "@trivium/std";
import type { Configuration } from "../../configuration/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Candidate } from "../../selection/index.ts";
import { type ComponentSpec, componentNames } from "../roles/component.ts";
import { type InstalledApis, isGroup, parseMode } from "../roles/deployment-mode.ts";
import { wantsKeda } from "../scaling/autoscaler-class.ts";

/** Whether the API serves what others bring. What no service and no runtime has use for is not asked. */
export interface ObservedInstalledApis {
  readonly groups?: Fact<boolean>;
  readonly knative?: Fact<boolean>;
  readonly keda?: Fact<boolean>;
  /** Whether our gateway is there, which counts requests. */
  readonly gateway?: Fact<boolean>;
}

interface Context {
  readonly runtimes: readonly Candidate[];
  readonly configuration: Fact<Configuration>;
}

export function observeInstalledApis(
  service: InferenceService,
  reader: Pick<Reader<typeof GatewayClass>, "ask" | "list">,
  { runtimes, configuration }: Context,
): ObservedInstalledApis {
  const specs = [
    ...componentNames.flatMap((name) => (service.spec[name] as ComponentSpec | undefined) ?? []),
    ...runtimes.flatMap(({ spec }) => configsOf(spec)),
  ];
  const ask = ({ group, kind }: Kind) => reader.ask(isServed, { group, kind });
  const { annotations } = service.metadata;
  const isGrouped = specs.some(isSpread) || runtimes.some(({ spec }) => spec.workers !== undefined);
  const defaultMode = configuration.is === "known" ? configuration.value.deploy?.defaultMode : undefined;
  const isServerless = (parseMode(annotations) ?? defaultMode) === "Serverless" || specs.some(maySleep);
  const isTriggered = specs.some((spec) => wantsKeda(service, spec));
  return {
    ...(isGrouped ? { groups: ask(LeaderWorkerSet) } : {}),
    ...(isServerless ? { knative: ask(KnativeService) } : {}),
    ...(isTriggered
      ? { keda: ask(ScaledObject), gateway: known(reader.list(GatewayClass, {}).some(isOurGateway)) }
      : {}),
  };
}

const configsOf: (spec: Candidate["spec"]) => readonly ComponentSpec[] = once((spec) =>
  componentNames.flatMap((name) => spec[`${name}Config`] ?? []),
);

const isOurGateway = ({ spec, status }: GatewayClass): boolean =>
  spec.controllerName === gatewayController && findCondition(status?.conditions, "Accepted")?.status === "True";

const isSpread = (spec: ComponentSpec): boolean =>
  isGroup(spec) || (parseMode(spec.annotations)?.startsWith("MultiNode") ?? false);

const maySleep = ({ minReplicas, annotations }: ComponentSpec): boolean =>
  minReplicas === 0 || parseMode(annotations) === "Serverless";

const isThere = (fact: Fact<boolean> | undefined): boolean => fact?.is === "known" && fact.value;

interface Found {
  readonly installedApis?: ObservedInstalledApis;
  readonly revisions?: Readonly<Record<string, Fact<unknown>>>;
}

/** Whoever has objects of a kind has the kind, whatever the list of kinds says: what runs is not given up for a gap in it. */
export function installedApisOf({
  installedApis = {},
  revisions = {},
}: Found): InstalledApis & { hasKeda: boolean; hasGateway: boolean } {
  const { groups, knative, keda, gateway } = installedApis;
  return {
    hasGroups: isThere(groups),
    hasKnative: isThere(knative) || Object.values(revisions).some(({ is }) => is === "known"),
    hasKeda: isThere(keda),
    hasGateway: isThere(gateway),
  };
}
