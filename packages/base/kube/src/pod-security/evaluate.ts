import type * as api from "../generated/api.ts";
import { baseline, baselineOnly } from "./baseline.ts";
import type { PodSecurityLevel } from "./level.ts";
import { restricted } from "./restricted.ts";
import type { PodCheck, PodSecurityViolation } from "./violation.ts";

const checks: Readonly<Record<PodSecurityLevel, readonly PodCheck[]>> = {
  privileged: [],
  baseline: [...baselineOnly, ...baseline],
  restricted: [...baseline, ...restricted],
};

/** The rules of a level of the Pod Security Standards that a pod breaks; none where it keeps to it. */
export function checkPodSecurity(spec: api.PodSpec, level: PodSecurityLevel): PodSecurityViolation[] {
  const isWindows = spec.os?.name === "windows";
  const found = checks[level].flatMap((check) => check(spec) ?? []);
  // These settings mean nothing on Windows.
  return isWindows ? found.filter(({ rule }) => !linuxOnly.has(rule)) : found;
}

const linuxOnly: ReadonlySet<string> = new Set([
  "allowPrivilegeEscalation != false",
  "unrestricted capabilities",
  "seccompProfile",
]);

/** `violates PodSecurity "baseline:latest": privileged (container "a" must not set …)` */
export function formatPodSecurity(level: PodSecurityLevel, violations: readonly PodSecurityViolation[]): string {
  const each = violations.map(({ rule, detail }) => `${rule} (${detail})`);
  return `PodSecurity "${level}:latest": ${each.join(", ")}`;
}
