import { k8s } from "@trivium/kube";
import { as, list, map, obj, opt, str } from "@trivium/schema";

const ProbeOverrides = obj("Probes that replace those of the engine, independently of each other", {
  startup: opt(as(k8s.Probe, "Startup probe: succeeds when the engine has loaded the weights")),
  liveness: opt(as(k8s.Probe, "Liveness probe: the engine is restarted when it fails")),
  readiness: opt(as(k8s.Probe, "Readiness probe: the engine receives requests while it succeeds")),
});

/** What is passed on into the pods, and where they may run. */
export const pod = {
  image: opt(
    str("Container image of the engine; takes precedence over all defaults. Required for `generic` and `personaplex`"),
  ),
  imagePullSecrets: opt(list("Secrets with registry credentials", k8s.LocalObjectReference)),
  command: opt(list("Command that replaces the one of the image or the engine", str(""))),
  args: opt(list("Arguments of a `generic` engine", str(""))),
  env: opt(list("Additional environment variables of the engine", k8s.EnvVar)),
  extraVolumes: opt(list("Additional volumes of the pod", k8s.Volume)),
  extraVolumeMounts: opt(list("Additional volume mounts of the engine container", k8s.VolumeMount)),
  probeOverrides: opt(ProbeOverrides),
  podAnnotations: opt(map("Additional annotations of the pods; annotations of the operator take precedence", str(""))),
  podLabels: opt(map("Additional labels of the pods; labels of the operator take precedence", str(""))),
  podSecurityContext: opt(as(k8s.PodSecurityContext, "Security context of the pods; replaces the default entirely")),
  securityContext: opt(
    as(k8s.SecurityContext, "Security context of the engine container; replaces the default entirely"),
  ),
  nodeSelector: opt(map("Labels that a node must have", str(""))),
  tolerations: opt(list("Tolerations of the pods; a toleration for the GPU is added automatically", k8s.Toleration)),
  affinity: opt(as(k8s.Affinity, "Affinity and anti-affinity rules of the pods")),
  topologySpreadConstraints: opt(list("How the pods are spread across zones and nodes", k8s.TopologySpreadConstraint)),
  runtimeClassName: opt(str("RuntimeClass of the pods")),
};
