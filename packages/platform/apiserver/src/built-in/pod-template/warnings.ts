import type { api } from "@trivium/kube";

/** What is allowed in a pod's spec but is most likely not meant, in the words of the real server. */
export function podWarnings(at: string, spec: api.PodSpec | undefined): string[] {
  if (spec === undefined) return [];
  const placed = [
    ...(spec.initContainers ?? []).map((container, index) => ({ container, at: `${at}.initContainers[${index}]` })),
    ...(spec.containers ?? []).map((container, index) => ({ container, at: `${at}.containers[${index}]` })),
  ];
  const grace = spec.terminationGracePeriodSeconds ?? 0;
  const negative = `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`;
  return [
    ...spreadWarnings(`${at}.topologySpreadConstraints`, spec.topologySpreadConstraints),
    ...placed.flatMap((one) => envWarnings(`${one.at}.env`, one.container.env)),
    ...placed.flatMap((one) => amountWarnings(`${one.at}.resources`, one.container.resources)),
    ...portWarnings(placed),
    ...(grace < 0 ? [negative] : []),
  ];
}

function spreadWarnings(at: string, constraints: readonly api.TopologySpreadConstraint[] = []): string[] {
  return constraints.flatMap(({ labelSelector }, index) =>
    labelSelector === undefined
      ? [`${at}[${index}].labelSelector: a null labelSelector results in matching no pod`]
      : [],
  );
}

/** A variable may be given twice only to build on its first value. */
function envWarnings(at: string, variables: readonly api.EnvVar[] = []): string[] {
  const seen = new Set<string>();
  return variables.flatMap(({ name, value = "", valueFrom }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const own = `$(${name})`;
    const builds = valueFrom === undefined && value !== own && value.includes(own);
    return builds
      ? []
      : [
          `${at}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
        ];
  });
}

/** Nobody has a part of a byte. */
function amountWarnings(at: string, resources: api.ResourceRequirements | undefined): string[] {
  return (["limits", "requests"] as const).flatMap((part) =>
    Object.entries(resources?.[part] ?? {})
      .filter(([name, amount]) => (name === "memory" || name === "ephemeral-storage") && String(amount).endsWith("m"))
      .map(
        ([name, amount]) => `${at}.${part}[${name}]: fractional byte value "${amount}" is invalid, must be an integer`,
      ),
  );
}

function portWarnings(placed: readonly { container: api.Container; at: string }[]): string[] {
  const ports = placed.flatMap(({ container, at }) =>
    (container.ports ?? []).map((port, index) => ({ port, at: `${at}.ports[${index}]` })),
  );
  return ports.flatMap(({ port, at }, index) => {
    const twins = ports
      .slice(0, index)
      .filter((other) => other.port.containerPort === port.containerPort && other.port.protocol === port.protocol);
    return twins.map((twin) => {
      const isSame = twin.port.hostPort === port.hostPort && twin.port.hostIP === port.hostIP;
      return `${at}: ${isSame ? "duplicate" : "overlapping"} port definition with ${twin.at}`;
    });
  });
}
