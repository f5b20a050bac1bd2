import type { Node } from "@trivium/kube";
import { type FieldError, forbidden } from "@trivium/schema";
import { checkLabels } from "../checks/labels.ts";
import { oneOf, qualifiedName } from "../checks/values.ts";

export function checkNode(node: Node, old?: Node): FieldError[] {
  const taints = node.spec?.taints ?? [];
  const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
  const { podCIDR, providerID } = node.spec ?? {};
  return [
    ...taints.flatMap(({ key, value, effect }, index) => [
      ...qualifiedName(`metadata.taints[${index}].key`, key),
      ...checkLabels(`metadata.taints[${index}].value`, value ? { [key]: value } : {}),
      ...oneOf(`metadata.taints[${index}].effect`, effect, effects),
    ]),
    ...(old?.spec?.podCIDR && old.spec.podCIDR !== podCIDR
      ? [forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')]
      : []),
    ...(old?.spec?.providerID && old.spec.providerID !== providerID
      ? [forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid')]
      : []),
  ];
}
