import type { api } from "@trivium/kube";
import { duplicate, type FieldError, forbidden, invalid, required } from "@trivium/schema";
import type { Json } from "@trivium/std";
import {
  between,
  faultsOfPortName,
  invalidFor,
  oneOf,
  portNumber,
  requiredLabel,
  requiredText,
} from "../checks/values.ts";
import { checkEnv, checkEnvFrom } from "./check-env.ts";
import { checkDevices, checkMounts } from "./check-mounts.ts";
import { checkLifecycle, checkProbe } from "./check-probe.ts";
import { checkResources } from "./check-resources.ts";

/** What containers of a pod are checked against. */
export interface PodFrame {
  readonly volumes: ReadonlyMap<string, api.Volume>;
  readonly claims: readonly string[];
  readonly grace: number | undefined;
}

export function checkContainers(at: string, containers: readonly api.Container[], frame: PodFrame): FieldError[] {
  if (containers.length === 0) return [required(at)];
  const names = new Set<string>();
  const faults = containers.flatMap((container, index) => {
    const here = `${at}[${index}]`;
    const isTwin = names.has(container.name);
    names.add(container.name);
    return [
      ...checkShared(here, container, frame),
      ...(isTwin ? [duplicate(`${here}.name`, container.name)] : []),
      ...checkRunning(here, container, frame),
      ...oneOf(`${here}.restartPolicy`, container.restartPolicy, ["Always", "Never", "OnFailure"]),
    ];
  });
  return [...faults, ...checkHostPorts(at, containers)];
}

const running = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

export function checkInitContainers(
  at: string,
  containers: readonly api.Container[],
  frame: PodFrame & { readonly names: readonly string[] },
): FieldError[] {
  const names = new Set(frame.names);
  return containers.flatMap((container, index) => {
    const here = `${at}[${index}]`;
    const isTwin = names.has(container.name);
    if (container.name) names.add(container.name);
    const isSidecar = container.restartPolicy === "Always";
    return [
      ...checkShared(here, container, frame),
      ...oneOf(`${here}.restartPolicy`, container.restartPolicy, ["Always", "Never", "OnFailure"]),
      ...(isTwin ? [duplicate(`${here}.name`, container.name)] : []),
      ...checkHostPorts(at, [container]),
      ...(isSidecar
        ? checkRunning(here, container, frame)
        : running.flatMap((field) => onlyForSidecars(here, container, field))),
    ];
  });
}

function onlyForSidecars(at: string, container: api.Container, field: (typeof running)[number]): FieldError[] {
  if (container[field] === undefined) return [];
  return [forbidden(`${at}.${field}`, "may not be set for init containers without restartPolicy=Always")];
}

function checkRunning(at: string, container: api.Container, { grace }: PodFrame): FieldError[] {
  return [
    ...checkLifecycle(`${at}.lifecycle`, container.lifecycle, grace),
    ...checkProbe(`${at}.livenessProbe`, container.livenessProbe, "liveness"),
    ...checkProbe(`${at}.readinessProbe`, container.readinessProbe, "readiness"),
    ...checkProbe(`${at}.startupProbe`, container.startupProbe, "startup"),
  ];
}

function checkShared(at: string, container: api.Container, { volumes, claims }: PodFrame): FieldError[] {
  return [
    ...requiredLabel(`${at}.name`, container.name),
    ...requiredText(`${at}.image`, container.image),
    ...oneOf(`${at}.terminationMessagePolicy`, container.terminationMessagePolicy, ["File", "FallbackToLogsOnError"]),
    ...checkPorts(`${at}.ports`, container.ports),
    ...checkEnv(`${at}.env`, container.env),
    ...checkEnvFrom(`${at}.envFrom`, container.envFrom),
    ...checkMounts(at, container, volumes),
    ...checkDevices(at, container, volumes),
    ...oneOf(`${at}.imagePullPolicy`, container.imagePullPolicy, ["Always", "IfNotPresent", "Never"]),
    ...checkResources(`${at}.resources`, container.resources, claims),
    ...checkSecurity(`${at}.securityContext`, container.securityContext),
  ];
}

function checkPorts(at: string, ports: readonly api.ContainerPort[] = []): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name, containerPort, hostPort, protocol }, index) => {
    const here = `${at}[${index}]`;
    const faults = name ? checkPortName(`${here}.name`, name, names) : [];
    return [
      ...faults,
      ...(containerPort ? portNumber(`${here}.containerPort`, containerPort) : [required(`${here}.containerPort`)]),
      ...(hostPort ? portNumber(`${here}.hostPort`, hostPort) : []),
      ...oneOf(`${here}.protocol`, protocol, ["SCTP", "TCP", "UDP"]),
    ];
  });
}

function checkPortName(at: string, name: string, names: Set<string>): FieldError[] {
  const faults = invalidFor(at, name, faultsOfPortName(name));
  if (faults.length > 0) return faults;
  if (names.has(name)) return [duplicate(at, name)];
  names.add(name);
  return [];
}

function checkHostPorts(at: string, containers: readonly api.Container[]): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    (container.ports ?? []).flatMap(({ protocol, hostIP, hostPort }, port) => {
      if (!hostPort) return [];
      const key = `${protocol}/${hostIP ?? ""}/${hostPort}`;
      if (taken.has(key)) return [duplicate(`${at}[${index}].ports[${port}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}

const highestId = 2147483647;

function checkSecurity(at: string, context: api.SecurityContext | undefined): FieldError[] {
  if (context === undefined) return [];
  const faults = [
    ...between(`${at}.runAsUser`, context.runAsUser, [0, highestId]),
    ...between(`${at}.runAsGroup`, context.runAsGroup, [0, highestId]),
    ...checkSeccomp(`${at}.seccompProfile`, context.seccompProfile),
  ];
  if (context.allowPrivilegeEscalation === false && context.privileged === true) {
    faults.push(
      invalid(at, { ...context } as Json, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"),
    );
  }
  return faults;
}

/** A profile of the node's own needs a name; the others have none. */
export function checkSeccomp(at: string, profile: api.SeccompProfile | undefined): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  if (!type) return [required(`${at}.type`, "type is required when seccompProfile is set")];
  if (type === "Localhost") {
    const missing = "must be set when seccomp type is Localhost";
    return localhostProfile === undefined ? [required(`${at}.localhostProfile`, missing)] : [];
  }
  const extra = "can only be set when seccomp type is Localhost";
  return [
    ...oneOf(`${at}.type`, type, ["Localhost", "RuntimeDefault", "Unconfined"]),
    ...(localhostProfile === undefined ? [] : [invalid(`${at}.localhostProfile`, localhostProfile, extra)]),
  ];
}
