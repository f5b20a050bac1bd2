import type * as api from "../generated/api.ts";

/** One rule that a pod breaks. */
export interface PodSecurityViolation {
  /** The rule in the words of Kubernetes: `privileged`, `host namespaces`. */
  readonly rule: string;
  /** What breaks it: `container "server" must not set securityContext.privileged=true`. */
  readonly detail: string;
  /** Where it stands in the pod's spec. */
  readonly fields: readonly string[];
}

export type PodCheck = (spec: api.PodSpec) => PodSecurityViolation | undefined;

/** A container and where it stands. */
export interface Placed {
  readonly container: Pick<api.Container, "name" | "securityContext" | "ports">;
  readonly at: string;
}

export function containersOf({ initContainers, containers, ephemeralContainers }: api.PodSpec): Placed[] {
  const lists = { initContainers, containers, ephemeralContainers };
  return Object.entries(lists).flatMap(([list, all]) =>
    (all ?? []).map((container, index) => ({ container, at: `${list}[${index}]` })),
  );
}

export const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(", ");

/** `container "a"`, `containers "a", "b"` */
export const named = (noun: string, names: readonly string[]): string =>
  `${noun}${names.length > 1 ? "s" : ""} ${quoted(names)}`;

export const namesOf = (placed: readonly Placed[]): string[] => placed.map(({ container }) => container.name);
