import { type CrdDocument, type Definitions, type RawSchema, shortNameOf } from "./facts.ts";

/** Groups whose kinds share names with kinds of others; theirs get a prefix. */
const prefixes: Readonly<Record<string, string>> = { "serving.kserve.io": "KServe", "serving.knative.dev": "Knative" };

/** Kinds too large to be worth a type: their spec is free JSON. */
const withFreeSpec = new Set(["OpenTelemetryCollector"]);

/** Types and `Kind` constants of the neighbours whose objects we emit, from their CRDs. */
export function emitThirdPartyApis(crds: readonly CrdDocument[], definitions: Definitions): string {
  const printer = typePrinter(definitions);
  const lines = [
    `import type { Json, JsonObject } from "@trivium/std";`,
    `import type { Kind } from "../kind.ts";`,
    `import type { Condition, KubeObject } from "../object.ts";`,
    `import type * as api from "./api.ts";\n`,
  ];
  for (const crd of crds) {
    const { group, names, scope } = crd.spec;
    const version = emittedVersion(crd);
    const name = (prefixes[group] ?? "") + names.kind;
    const properties = version.schema.openAPIV3Schema.properties ?? {};
    const spec = withFreeSpec.has(names.kind) ? "JsonObject" : printer(properties.spec ?? {}, "  ");
    const status = withFreeSpec.has(names.kind) ? "JsonObject" : printer(properties.status ?? {}, "  ");
    const kind = {
      group,
      version: version.name,
      kind: names.kind,
      plural: names.plural,
      namespaced: scope === "Namespaced",
    };
    lines.push(`export interface ${name} extends KubeObject {\n  spec: ${spec};\n  status?: ${status} | undefined;\n}`);
    lines.push(`export const ${name}: Kind<${name}> = ${JSON.stringify(kind)};\n`);
  }
  return lines.join("\n");
}

/** The stored version, unless that is an alpha and a better one is served. */
function emittedVersion(crd: CrdDocument): CrdDocument["spec"]["versions"][number] {
  const { versions } = crd.spec;
  const stored = versions.find((version) => version.storage);
  const better = versions.find((version) => !version.name.includes("alpha"));
  const chosen = stored?.name.includes("alpha") ? (better ?? stored) : stored;
  if (chosen === undefined) throw new Error(`the CRD of ${crd.spec.names.kind} stores no version`);
  return chosen;
}

function typePrinter(definitions: Definitions): (schema: RawSchema, indent: string) => string {
  const known = new Map<string, string>();
  const core = Object.keys(definitions).filter((name) => /\.(core|autoscaling)\.v[12]\.|LabelSelector/.test(name));
  for (const name of core) known.set(signatureOf(definitions[name]?.properties), `api.${shortNameOf(name)}`);

  function print(schema: RawSchema, indent: string): string {
    if (schema["x-kubernetes-int-or-string"]) return "number | string";
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    if (schema.type === "string" || schema.type === "boolean") return schema.type;
    if (schema.type === "integer" || schema.type === "number") return "number";
    if (schema.type === "array") {
      const item = print(schema.items ?? {}, indent);
      return /[|&]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
    }
    if (schema.type !== "object") return "Json";
    if (schema.properties !== undefined) return printObject(schema, schema.properties, indent);
    const values = schema.additionalProperties;
    return typeof values === "object" ? `Record<string, ${print(values, indent)}>` : "JsonObject";
  }

  function printObject(schema: RawSchema, properties: Record<string, RawSchema>, indent: string): string {
    const names = Object.keys(properties);
    if (conditionFields.every((field) => names.includes(field)) && names.length <= 6) return "Condition";
    const same = names.length > 2 ? known.get(signatureOf(properties)) : undefined;
    if (same !== undefined) return same;
    const inlined = ["PodSpec", "Container"].find((name) =>
      isInlined(definitions[`io.k8s.api.core.v1.${name}`], properties),
    );
    const base = definitions[`io.k8s.api.core.v1.${inlined}`]?.properties ?? {};
    const fields = Object.entries(properties)
      .filter(([name]) => !(name in base))
      .map(([name, part]) => {
        const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
        const type = print(part, `${indent}  `);
        return schema.required?.includes(name) ? `${key}: ${type};` : `${key}?: ${type} | undefined;`;
      });
    const own = `{\n${fields.map((field) => `${indent}  ${field}\n`).join("")}${indent}}`;
    if (inlined === undefined) return own;
    return fields.length === 0 ? `Partial<api.${inlined}>` : `Partial<api.${inlined}> & ${own}`;
  }

  return print;
}

const conditionFields = ["type", "status", "reason", "message", "lastTransitionTime"];

const signatureOf = (properties: Record<string, RawSchema> = {}): string => Object.keys(properties).sort().join();

/** Whether nearly all fields of a definition stand among these: the type was inlined, perhaps from an older release. */
function isInlined(definition: RawSchema | undefined, properties: Record<string, RawSchema>): boolean {
  const fields = Object.keys(definition?.properties ?? {});
  return fields.filter((field) => field in properties).length > fields.length * 0.6;
}
