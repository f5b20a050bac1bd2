export { checkPodSecurity, formatPodSecurity } from "./evaluate.ts";
export {
  isPodSecurityLevel,
  type PodSecurityLevel,
  type PodSecurityMode,
  podSecurityLevelOf,
  podSecurityLevels,
  stricterLevel,
  unknownPodSecurityLevels,
} from "./level.ts";
export { type PlacedPodSpec, podSpecsIn } from "./pod-specs.ts";
export type { PodSecurityViolation } from "./violation.ts";
