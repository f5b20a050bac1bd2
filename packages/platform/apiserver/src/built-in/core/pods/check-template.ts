import type { PodTemplate, ReplicationController } from "@trivium/kube";
import { type FieldError, invalid, required } from "@trivium/schema";
import { checkForever } from "../../apps/check.ts";
import { nonNegative } from "../../checks/values.ts";
import { checkPodTemplate } from "../../pod-template/check-spec.ts";

export const checkPodTemplateObject = ({ template }: PodTemplate): FieldError[] =>
  checkPodTemplate("template", template ?? { spec: { containers: [] } });

export function checkReplicationController({ spec }: ReplicationController): FieldError[] {
  const { selector = {}, template } = spec;
  const labels = template?.metadata?.labels ?? {};
  const matches = Object.entries(selector).every(([key, value]) => labels[key] === value);
  return [
    ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...(Object.keys(selector).length === 0 ? [required("spec.selector")] : []),
    ...nonNegative("spec.replicas", spec.replicas),
    ...(template === undefined ? [required("spec.template")] : []),
    ...(matches
      ? []
      : [invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")]),
    ...(template === undefined ? [] : checkPodTemplate("spec.template", template)),
    ...(template === undefined ? [] : checkForever(template, "ReplicationController")),
  ];
}
