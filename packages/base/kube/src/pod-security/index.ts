export { checkPodSecurity, formatPodSecurity } from "./evaluate.ts";
export {
  type PodSecurityLevel,
  type PodSecurityMode,
  podSecurityLevelOf,
  podSecurityLevels,
  stricterLevel,
} from "./level.ts";
export { podSpecsIn } from "./pod-specs.ts";
