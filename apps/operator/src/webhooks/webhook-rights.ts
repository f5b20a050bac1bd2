import type { PolicyRule } from "@trivium/runtime";

/** What renewing certificates in a Secret takes: that Secret, in the namespace of the operator. */
export const secretRule = (secret: string): PolicyRule => ({
  apiGroups: [""],
  resources: ["secrets"],
  resourceNames: [secret],
  verbs: ["get", "patch", "watch"],
});

/** What publishing their authority takes: the configurations of that name. */
export const configurationRule = (configuration: string): PolicyRule => ({
  apiGroups: ["admissionregistration.k8s.io"],
  resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
  resourceNames: [configuration],
  verbs: ["patch", "watch"],
});
