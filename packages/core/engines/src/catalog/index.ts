export { matchesRepository } from "./repository-pattern.ts";
export { compareBuilds, compareVersions, isRelease, parseSemanticVersion, parseVersion } from "./version.ts";
export { type Constraint, parseConstraint } from "./version-constraint.ts";
