/** The levels of the Pod Security Standards, from the widest to the strictest. */
export const podSecurityLevels = ["privileged", "baseline", "restricted"] as const;
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

export type PodSecurityMode = "enforce" | "audit" | "warn";

const prefix = "pod-security.kubernetes.io/";

export const isPodSecurityLevel = (text: string): text is PodSecurityLevel =>
  (podSecurityLevels as readonly string[]).includes(text);

/** What the labels of a namespace ask for; privileged where they are silent, as Kubernetes does. */
export function podSecurityLevelOf(
  labels: Readonly<Record<string, string>> | undefined,
  mode: PodSecurityMode,
): PodSecurityLevel {
  const level = labels?.[`${prefix}${mode}`] ?? "privileged";
  // A level that is misspelled is meant to forbid something.
  return isPodSecurityLevel(level) ? level : "restricted";
}

/** The labels whose values are no level. */
export function unknownPodSecurityLevels(labels: Readonly<Record<string, string>> | undefined): [string, string][] {
  return (["enforce", "audit", "warn"] as const).flatMap((mode): [string, string][] => {
    const level = labels?.[`${prefix}${mode}`];
    return level === undefined || isPodSecurityLevel(level) ? [] : [[`${prefix}${mode}`, level]];
  });
}

export const stricterLevel = (a: PodSecurityLevel, b: PodSecurityLevel): PodSecurityLevel =>
  podSecurityLevels.indexOf(a) > podSecurityLevels.indexOf(b) ? a : b;
