import type { api } from "@trivium/kube";

type AnyContainer = api.Container | api.EphemeralContainer;

/** What the server fills in for one container of a pod or of a template of pods. */
export function defaultContainer(container: AnyContainer): void {
  container.imagePullPolicy ??= pullPolicyOf(container.image ?? "");
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
  for (const port of container.ports ?? []) port.protocol ??= "TCP";
  for (const variable of container.env ?? []) {
    if (variable.valueFrom?.fieldRef) variable.valueFrom.fieldRef.apiVersion ??= "v1";
    if (variable.valueFrom?.resourceFieldRef) variable.valueFrom.resourceFieldRef.divisor ??= "0";
    if (variable.valueFrom?.fileKeyRef) variable.valueFrom.fileKeyRef.optional ??= false;
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) defaultProbe(probe);
  }
  for (const hook of [container.lifecycle?.postStart, container.lifecycle?.preStop]) {
    if (hook?.httpGet) defaultHttpGet(hook.httpGet);
  }
}

function defaultProbe(probe: api.Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.httpGet) defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= "";
}

function defaultHttpGet(action: api.HTTPGetAction): void {
  action.path ||= "/";
  action.scheme ||= "HTTP";
}

/** An image without a tag or with `latest` may change under its name, so it is pulled every time. */
export function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  if (image.includes("@")) return "IfNotPresent";
  const tag = /:([\w][\w.-]{0,127})$/.exec(image)?.[1];
  return tag === undefined || tag === "latest" ? "Always" : "IfNotPresent";
}
