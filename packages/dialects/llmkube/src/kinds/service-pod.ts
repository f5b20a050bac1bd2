import { k8s } from "@trivium/kube";
import { as, list, map, obj, opt, str } from "@trivium/schema";

const ProbeOverrides = obj("Probes to use in place of the engine's own, each by itself", {
  startup: opt(as(k8s.Probe, "Tells when the engine has loaded its weights")),
  liveness: opt(as(k8s.Probe, "Tells when the engine must be restarted")),
  readiness: opt(as(k8s.Probe, "Tells when the engine may get requests")),
});

/** What is passed on into the pods, and where they may run. */
export const pod = {
  image: opt(str("Image of the engine; wins over every other choice of image. Needed for `generic` and `personaplex`")),
  imagePullSecrets: opt(list("Secrets with registry credentials", k8s.LocalObjectReference)),
  command: opt(list("Entry point in place of the image's or the engine's", str(""))),
  args: opt(list("Arguments of a `generic` engine", str(""))),
  env: opt(list("More environment variables of the engine", k8s.EnvVar)),
  extraVolumes: opt(list("More volumes of the pod", k8s.Volume)),
  extraVolumeMounts: opt(list("More mounts of the engine container", k8s.VolumeMount)),
  probeOverrides: opt(ProbeOverrides),
  podAnnotations: opt(map("More annotations of the pods; those the operator sets win", str(""))),
  podLabels: opt(map("More labels of the pods; those the operator sets win", str(""))),
  podSecurityContext: opt(as(k8s.PodSecurityContext, "Security settings of the pod; replaces the operator's whole")),
  securityContext: opt(
    as(k8s.SecurityContext, "Security settings of the engine container; replaces the operator's whole"),
  ),
  nodeSelector: opt(map("Labels a node must have", str(""))),
  tolerations: opt(list("Taints to put up with; one for the GPU is added on its own", k8s.Toleration)),
  affinity: opt(as(k8s.Affinity, "Rules that draw pods to nodes and to each other, or keep them apart")),
  topologySpreadConstraints: opt(list("How the pods spread over zones and nodes", k8s.TopologySpreadConstraint)),
  runtimeClassName: opt(str("RuntimeClass of the pods")),
};
