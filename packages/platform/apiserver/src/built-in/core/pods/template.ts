import type { PodTemplate, ReplicationController } from "@trivium/kube";
import { defaultReplicationController } from "../../apps/defaults.ts";
import { defaultPodTemplate } from "../../pod-template/default-spec.ts";
import { containerImages, containerNames, formatLabels } from "../../table/text.ts";
import { traits } from "../../traits.ts";
import { checkPodTemplateObject, checkReplicationController } from "./check-template.ts";

export const podTemplate = traits<PodTemplate>({
  validate: checkPodTemplateObject,
  hasGeneration: true,
  defaults: ({ template }) => defaultPodTemplate(template),
  cells: {
    Containers: ({ template }) => containerNames(template),
    Images: ({ template }) => containerImages(template),
    "Pod Labels": ({ template }) => formatLabels(template?.metadata?.labels),
  },
});

export const replicationController = traits<ReplicationController>({
  validate: checkReplicationController,
  hasGeneration: true,
  defaultPropagation: "Orphan",
  defaults: defaultReplicationController,
  selectableFields: ["status.replicas"],
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".spec.selector",
  },
  cells: {
    Desired: ({ spec }) => spec.replicas ?? 0,
    Current: ({ status }) => status?.replicas ?? 0,
    Ready: ({ status }) => status?.readyReplicas ?? 0,
    Containers: ({ spec }) => containerNames(spec.template),
    Images: ({ spec }) => containerImages(spec.template),
    Selector: ({ spec }) => formatLabels(spec.selector),
  },
});
