import { parseAllDocuments } from "yaml";
import type { SampleType } from "./facts.ts";
import { findDocument } from "./write-facts.ts";

type Samples = Record<string, Record<string, SampleType>>;

/** The concept pages show fields in sample manifests and in small tables; both are read as "this field exists". */
export function aimSamples(documents: readonly string[]): Samples {
  const images = findDocument(documents, "# AIM Images and Service Templates");
  const models = findDocument(documents, "# AIM Models");
  const templateKinds = ["AIMServiceTemplate", "AIMClusterServiceTemplate"];
  const modelKinds = ["AIMModel", "AIMClusterModel"];
  const shown = [...manifests(images), ...manifests(models)].map((sample) => ({
    kinds: kindsOf(sample),
    fields: pathsOf(sample, ["spec", "status"]),
  }));
  const listed = [
    { kinds: templateKinds, fields: tableFields(images, "### Status", "status.") },
    { kinds: modelKinds, fields: tableFields(models, "### Fields", "spec.") },
    { kinds: modelKinds, fields: tableFields(models, "### Status Field", "status.") },
    { kinds: modelKinds, fields: tableFields(models, "### Model Sources", "spec.modelSources[].") },
    { kinds: ["AIMService"], fields: tableFields(models, "### Model Sources", "spec.model.custom.modelSources[].") },
  ];
  const samples: Samples = {};
  for (const { kinds, fields } of [...shown, ...listed]) {
    // A sample says more of a field than a table without types.
    for (const kind of kinds) samples[kind] = { ...samples[kind], ...fields, ...typed(samples[kind]) };
  }
  return samples;
}

const typed = (fields: Readonly<Record<string, SampleType>> = {}): Record<string, SampleType> =>
  Object.fromEntries(Object.entries(fields).filter(([, type]) => type !== "any"));

interface Manifest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

function manifests(page: string): Manifest[] {
  return [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].flatMap(([, text]) =>
    // One sample shows two values of a key, as alternatives.
    parseAllDocuments(text!, { uniqueKeys: false }).map((each) => each.toJS() as Manifest),
  );
}

/** A sample without a kind is told by what it holds. */
function kindsOf({ apiVersion, kind, spec, status }: Manifest): string[] {
  if (kind !== undefined) return apiVersion?.startsWith("aim.silogen.ai/") ? [kind] : [];
  if (spec?.routing !== undefined) return ["AIMService", "AIMRuntimeConfig"];
  if (spec?.model !== undefined) return ["AIMRuntimeConfig", "AIMClusterRuntimeConfig"];
  if (spec?.modelSources !== undefined || spec?.custom !== undefined || status !== undefined) {
    return ["AIMModel", "AIMClusterModel"];
  }
  throw new Error(`cannot tell which kind this sample is of: ${JSON.stringify(spec)}`);
}

function pathsOf(value: unknown, keys: readonly string[]): Record<string, SampleType> {
  const paths: Record<string, SampleType> = {};
  const walk = (each: unknown, path: string): void => {
    paths[path] = typeOf(each);
    if (Array.isArray(each)) for (const item of each) walk(item, `${path}[]`);
    else if (each !== null && typeof each === "object") {
      for (const [key, inner] of Object.entries(each))
        walk(inner, key.includes(".") ? `${path}[${key}]` : `${path}.${key}`);
    }
  };
  for (const key of keys) {
    const part = (value as Record<string, unknown>)[key];
    if (part !== undefined) walk(part, key);
  }
  return paths;
}

function typeOf(value: unknown): SampleType {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return value === null ? "any" : (typeof value as "string" | "boolean" | "object");
}

/** The fields that the table of a section lists; it does not tell their types. */
function tableFields(page: string, heading: string, prefix: string): Record<string, SampleType> {
  const start = page.indexOf(`${heading}\n`);
  if (start < 0) throw new Error(`the page has no section ${heading}`);
  const section = page.slice(start + heading.length).split(/^#/m)[0]!;
  return Object.fromEntries([...section.matchAll(/^\| `([\w.]+)` \|/gm)].map((match) => [prefix + match[1]!, "any"]));
}
