import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "@trivium/kube";
import { controllerOf } from "@trivium/kube";
import { deepEqual } from "@trivium/std";
import { podWarnings } from "../pod-template/warnings.ts";
import { containerImages, containerNames, formatLabels, formatSelector, selectorOrNone } from "../table/text.ts";
import { traits } from "../traits.ts";
import {
  checkControllerRevision,
  checkDaemonSet,
  checkDeployment,
  checkReplicaSet,
  checkStatefulSet,
} from "./check.ts";
import { checkReplicaStatus } from "./check-status.ts";
import { defaultDaemonSet, defaultDeployment, defaultReplicaSet, defaultStatefulSet } from "./defaults.ts";

const scale = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
} as const;

export const deployment = traits<Deployment>({
  hasGeneration: true,
  defaults: defaultDeployment,
  validate: checkDeployment,
  warnings: ({ spec }) => podWarnings("spec.template.spec", spec.template?.spec),
  validateStatus: ({ status }) => checkReplicaStatus("Deployment", status),
  scale,
  cells: {
    Ready: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    "Up-to-date": ({ status }) => status?.updatedReplicas ?? 0,
    Available: ({ status }) => status?.availableReplicas ?? 0,
    Containers: ({ spec }) => containerNames(spec.template),
    Images: ({ spec }) => containerImages(spec.template),
    Selector: ({ spec }) => formatSelector(spec.selector),
  },
});

export const replicaSet = traits<ReplicaSet>({
  hasGeneration: true,
  defaults: defaultReplicaSet,
  validate: checkReplicaSet,
  warnings: ({ spec }) => podWarnings("spec.template.spec", spec.template?.spec),
  validateStatus: ({ status }) => checkReplicaStatus("ReplicaSet", status),
  scale,
  selectableFields: ["status.replicas"],
  cells: {
    Desired: ({ spec }) => spec.replicas ?? 0,
    Current: ({ status }) => status?.replicas ?? 0,
    Ready: ({ status }) => status?.readyReplicas ?? 0,
    Containers: ({ spec }) => containerNames(spec.template),
    Images: ({ spec }) => containerImages(spec.template),
    Selector: ({ spec }) => selectorOrNone(spec.selector),
  },
});

export const statefulSet = traits<StatefulSet>({
  hasGeneration: true,
  defaults: defaultStatefulSet,
  validate: checkStatefulSet,
  warnings: ({ spec }) => podWarnings("spec.template.spec", spec.template?.spec),
  validateStatus: ({ status }) => checkReplicaStatus("StatefulSet", status),
  scale,
  cells: {
    Ready: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    Containers: ({ spec }) => containerNames(spec.template),
    Images: ({ spec }) => containerImages(spec.template),
  },
});

export const daemonSet = traits<DaemonSet>({
  hasGeneration: true,
  defaults: defaultDaemonSet,
  validate: checkDaemonSet,
  warnings: ({ spec }) => podWarnings("spec.template.spec", spec.template?.spec),
  prepareForCreate: (object) => {
    setTemplateGeneration(object, 1);
  },
  prepareForUpdate: (object, old) => {
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 1);
    setTemplateGeneration(object, deepEqual(object.spec.template, old.spec.template) ? before : before + 1);
  },
  cells: {
    Desired: ({ status }) => status?.desiredNumberScheduled ?? 0,
    Current: ({ status }) => status?.currentNumberScheduled ?? 0,
    Ready: ({ status }) => status?.numberReady ?? 0,
    "Up-to-date": ({ status }) => status?.updatedNumberScheduled ?? 0,
    Available: ({ status }) => status?.numberAvailable ?? 0,
    "Node Selector": ({ spec }) => formatLabels(spec.template.spec?.nodeSelector),
    Containers: ({ spec }) => containerNames(spec.template),
    Images: ({ spec }) => containerImages(spec.template),
    Selector: ({ spec }) => selectorOrNone(spec.selector),
  },
});

/** Counts the changes of a DaemonSet's template; an old field that lives on as an annotation. */
const templateGeneration = "deprecated.daemonset.template.generation";

function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(generation) };
}

export const controllerRevision = traits<ControllerRevision>({
  validate: checkControllerRevision,
  cells: {
    Controller: (object) => {
      const owner = controllerOf(object);
      if (owner === undefined) return "<none>";
      const [group] = owner.apiVersion.includes("/") ? owner.apiVersion.split("/") : [""];
      return `${owner.kind.toLowerCase()}${group ? `.${group}` : ""}/${owner.name}`;
    },
    Revision: ({ revision }) => revision,
  },
});
