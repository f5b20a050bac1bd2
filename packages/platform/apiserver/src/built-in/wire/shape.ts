import { definitions, type RawSchema, wireFacts } from "@trivium/kube";
import type { Json } from "@trivium/std";

/** A type of the built-in API as a decoder sees it. `go` is its name in error messages. */
export type Shape =
  | { readonly is: Scalar; readonly go: string }
  | { readonly is: "free" | "schemaOrElse"; readonly go: string }
  | { readonly is: "list" | "map"; readonly go: string; readonly inner: Shape }
  | StructShape;
export type Scalar =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "float64"
  | "bytes"
  | "time"
  | "microTime"
  | "quantity"
  | "intOrString";

export interface StructShape {
  readonly is: "struct";
  readonly go: string;
  /** The name without its package, as messages about fields say it. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  /** Fields that are written even when nothing was said, with what is written then. */
  readonly filled: readonly (readonly [string, Json])[];
}

export interface Field {
  readonly shape: Shape;
  /** As error messages name it: with the inlined type it comes from. */
  readonly label: string;
  /** The zero value says something: it is kept. */
  readonly keepsZero: boolean;
}

const special: Readonly<Record<string, Shape>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { is: "quantity", go: "resource.Quantity" },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { is: "intOrString", go: "intstr.IntOrString" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": { is: "time", go: "string" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": { is: "microTime", go: "string" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": { is: "free", go: "v1.FieldsV1" },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": { is: "free", go: "runtime.RawExtension" },
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": { is: "free", go: "v1.JSON" },
};
for (const alternative of ["JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray"]) {
  const name = `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.${alternative}`;
  Object.assign(special, { [name]: { is: "schemaOrElse", go: `v1.${alternative}` } satisfies Shape });
}
export const schemaProps = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

const known = new Map<string, StructShape>();

/** The shape of a definition with properties. Made once; shapes may be cyclic. */
export function structOf(definition: string): StructShape {
  const found = known.get(definition);
  if (found !== undefined) return found;
  const [version = "", name = ""] = definition.split(".").slice(-2);
  const fields = new Map<string, Field>();
  const filled: (readonly [string, Json])[] = [];
  const shape: StructShape = { is: "struct", go: `${version}.${name}`, name, fields, filled };
  known.set(definition, shape);
  const source = definitions[definition] ?? {};
  const labels = labelsOf(definition);
  const always = wireFacts.always[definition] ?? {};
  for (const [key, property] of Object.entries(source.properties ?? {})) {
    const inner = renamed(shapeOf(property), wireFacts.named[definition]?.[key]);
    const isRequired = source.required?.includes(key) ?? false;
    const keepsZero = isRequired || key in always || (wireFacts.pointers[definition]?.includes(key) ?? false);
    fields.set(key, { shape: inner, label: labels.get(key) ?? key, keepsZero });
    const fill = key in always ? always[key] : fillOf(inner, property, isRequired);
    if (fill !== undefined) filled.push([key, fill]);
  }
  return shape;
}

function labelsOf(definition: string): Map<string, string> {
  const labels = new Map<string, string>();
  for (const [type, keys] of Object.entries(wireFacts.inlined[definition] ?? {})) {
    for (const key of keys) labels.set(key, `${type}.${key}`);
  }
  return labels;
}

/** The published default of a part that is no pointer tells that it is always written. */
function fillOf(shape: Shape, property: RawSchema, isRequired: boolean): Json | undefined {
  if (shape.is === "struct") return property.default === undefined ? undefined : {};
  const isZero = property.default === "" || property.default === 0 || property.default === false;
  return isRequired && isZero ? property.default : undefined;
}

const renamed = (shape: Shape, go: string | undefined): Shape => (go === undefined ? shape : { ...shape, go });

function shapeOf(schema: RawSchema): Shape {
  const reference = (schema.$ref ?? schema.allOf?.[0]?.$ref)?.slice("#/components/schemas/".length);
  if (reference !== undefined) return special[reference] ?? openOr(reference);
  switch (schema.type) {
    case "string":
      return schema.format === "byte" ? { is: "bytes", go: "[]uint8" } : { is: "string", go: "string" };
    case "boolean":
      return { is: "bool", go: "bool" };
    case "integer":
      return schema.format === "int32" ? { is: "int32", go: "int32" } : { is: "int64", go: "int64" };
    case "number":
      return { is: "float64", go: "float64" };
    case "array": {
      const inner = shapeOf(schema.items ?? {});
      return { is: "list", go: `[]${inner.go}`, inner };
    }
    case "object":
      return mapOf(schema.additionalProperties);
    default:
      return { is: "free", go: "interface {}" };
  }
}

function mapOf(values: RawSchema | undefined): Shape {
  if (values === undefined) return { is: "free", go: "map[string]interface {}" };
  const inner = shapeOf(values);
  return { is: "map", go: `map[string]${inner.go}`, inner };
}

const openOr = (definition: string): Shape =>
  definitions[definition]?.properties === undefined
    ? { is: "struct", go: "struct {}", name: "", fields: new Map(), filled: [] }
    : structOf(definition);
