import { anyJson, free, type Schema } from "@trivium/schema";
import { definitions, type Reading, type Resolve, readDefinitions } from "./definitions.ts";
import rows from "./generated/resources.json" with { type: "json" };

/** One resource of the built-in API as the real server lists it, with the columns of its tables. */
export interface BuiltInRow {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly verbs: readonly string[];
  }[];
  readonly columns?: readonly {
    readonly name: string;
    readonly type: string;
    readonly format: string;
    readonly priority: number;
  }[];
}

export const builtInRows = rows as readonly BuiltInRow[];

const extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** A schema inside a CRD may stand where a list, a boolean or a list of names may stand too: no type, the same properties. */
const schemaOrElse = (resolve: Resolve): Schema => ({
  get properties() {
    return resolve(`${extensions}.JSONSchemaProps`).properties ?? {};
  },
});

const served: Reading = {
  replaced: {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": () => ({
      format: "quantity",
      oneOf: [{ type: "string" }, { type: "number" }],
    }),
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": () => ({ "x-kubernetes-int-or-string": true }),
    "io.k8s.apimachinery.pkg.runtime.RawExtension": () => free(""),
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": () => free(""),
    [`${extensions}.JSON`]: () => anyJson(""),
    [`${extensions}.JSONSchemaPropsOrArray`]: schemaOrElse,
    [`${extensions}.JSONSchemaPropsOrBool`]: schemaOrElse,
    [`${extensions}.JSONSchemaPropsOrStringArray`]: schemaOrElse,
  },
  keywords: [
    "type",
    "format",
    "enum",
    "required",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-patch-strategy",
    "x-kubernetes-patch-merge-key",
  ],
};

const resolve = readDefinitions(served);
const definitionsByKind = new Map<string, string>();
for (const [name, schema] of Object.entries(definitions)) {
  for (const { group, version, kind } of schema["x-kubernetes-group-version-kind"] ?? []) {
    if (!definitionsByKind.has(`${group}/${version}/${kind}`))
      definitionsByKind.set(`${group}/${version}/${kind}`, name);
  }
}

/** Name of the OpenAPI definition of a built-in kind. */
export function definitionNameOf(group: string, version: string, kind: string): string | undefined {
  return definitionsByKind.get(`${group}/${version}/${kind}`);
}

/**
 * Schema of a whole built-in object with merge keys and list types and without defaults. Made when first asked for;
 * parts are shared and, inside CRDs, cyclic.
 */
export function builtInSchema(group: string, version: string, kind: string): Schema | undefined {
  const name = definitionNameOf(group, version, kind);
  return name === undefined ? undefined : resolve(name);
}
