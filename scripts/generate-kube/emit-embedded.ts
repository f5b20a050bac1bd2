import { type Definitions, referencesIn } from "./facts.ts";
import { handWritten } from "./names.ts";

/** What authors of custom resources embed; everything these refer to comes along. */
const roots = [
  "core.v1.PodTemplateSpec",
  "core.v1.PersistentVolumeClaimTemplate",
  "core.v1.ServiceSpec",
  "core.v1.ObjectReference",
  "core.v1.LocalObjectReference",
  "core.v1.SecretReference",
  "core.v1.SecretKeySelector",
  "core.v1.TypedLocalObjectReference",
  "apps.v1.DeploymentStrategy",
  "autoscaling.v2.HorizontalPodAutoscalerSpec",
  "batch.v1.JobSpec",
  "networking.v1.IngressSpec",
  "networking.v1.NetworkPolicySpec",
  "policy.v1.PodDisruptionBudgetSpec",
].map((name) => `io.k8s.api.${name}`);
const metaRoots = ["LabelSelector", "Condition", "ObjectMeta"].map(
  (name) => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`,
);

/** The typed table behind `k8s.PodSpec`: name → definition, and name → type of its values. */
export function emitEmbedded(definitions: Definitions, names: ReadonlyMap<string, string>): string {
  const wanted = new Map<string, string>();
  const follow = (definition: string): void => {
    const name = names.get(definition);
    if (name === undefined || wanted.has(name)) return;
    wanted.set(name, definition);
    if (definition in handWritten) return;
    referencesIn(definitions[definition] ?? {}).forEach(follow);
  };
  [...roots, ...metaRoots].forEach(follow);
  const sorted = [...wanted].sort(([a], [b]) => a.localeCompare(b));
  return [
    `import type { SchemaOf } from "@trivium/schema";`,
    `import type * as api from "./api.ts";\n`,
    `export interface EmbeddedSchemas {`,
    ...sorted.map(([name]) => `  readonly ${name}: SchemaOf<api.${name}>;`),
    `}\n`,
    `export const embeddedDefinitions: { readonly [K in keyof EmbeddedSchemas]: string } = {`,
    ...sorted.map(([name, definition]) => `  ${name}: ${JSON.stringify(definition)},`),
    `};\n`,
  ].join("\n");
}
