import { k8s } from "@trivium/kube";

/** A release has the Kubernetes of its day, which can lack fields that ours has. */
const sharedPart = 0.7;

/** Types of one or two fields, and references, have the field names of too many others; these have not. */
const minFields = 3;
const smallTypes: readonly string[] = ["NodeAffinity", "LabelSelector"];

const knownTypes = Object.entries(k8s)
  .map(([name, schema]) => ({ name, fields: new Set(Object.keys(schema.properties ?? {})) }))
  .filter(({ name, fields }) => fields.size >= minFields || smallTypes.includes(name))
  .filter(({ name }) => !name.endsWith("Reference"));

/** The type of Kubernetes that has just these fields; none where two types have. */
export function matchType(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const [first, second] = knownTypes
    .filter(({ fields }) => names.every((name) => fields.has(name)))
    .filter(({ fields }) => names.length / fields.size >= sharedPart)
    .sort((a, b) => a.fields.size - b.fields.size);
  return first === undefined || first.fields.size === second?.fields.size ? undefined : first.name;
}

/** Types whose fields stand among others, as if they were written there. */
const embeddedTypes = knownTypes.filter(({ name }) => name === "PodSpec" || name === "Container");

export function findEmbedded(
  names: readonly string[],
): { readonly name: string; readonly fields: ReadonlySet<string> } | undefined {
  return embeddedTypes.find(
    ({ fields }) => names.filter((name) => fields.has(name)).length / fields.size >= sharedPart,
  );
}
