import type { Schema } from "@trivium/schema";

/** Every field of a spec that has a value of its own, as a path; `[]` stands for the elements of a list. Types of Kubernetes are one field. */
export function leavesOf(schema: Schema, path = ""): string[] {
  if (schema.type === "array" && isPlain(schema.items)) return [path];
  if (schema.type === "array") return leavesOf(schema.items as Schema, `${path}[]`);
  const own = Object.entries(schema.properties ?? {});
  if (own.length === 0 || isOfKubernetes(schema)) return [path];
  return own.flatMap(([name, field]) => leavesOf(field, path === "" ? name : `${path}.${name}`));
}

const isPlain = (items: Schema | undefined): boolean => items?.properties === undefined || isOfKubernetes(items);

/** Our own fields are described for people; those of Kubernetes' types are not. */
const isOfKubernetes = (schema: Schema): boolean =>
  Object.values(schema.properties ?? {}).every(({ description }) => !description);

/** A value for every field, the first of every choice. */
export function sampleOf(schema: Schema, name = ""): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema["x-kubernetes-int-or-string"] === true) return 1;
  switch (schema.type) {
    case "object":
      return schema.properties === undefined ? { a: "b" } : sampleObject(schema);
    case "array":
      return [sampleOf(schema.items as Schema, name)];
    case "boolean":
      return true;
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    default:
      return textOf(schema, name);
  }
}

const sampleObject = (schema: Schema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(isOfKubernetes(schema) ? {} : (schema.properties ?? {})).map(([name, field]) => [
      name,
      sampleOf(field, name),
    ]),
  );

const textOf = ({ pattern, default: usual }: Schema, name: string): string =>
  typeof usual === "string" ? usual : pattern === undefined ? `a-${name.toLowerCase()}` : "1g.10gb";

/** The same object, which notes in `read` every field that is looked at. */
export function recording<T>(value: T, read: Set<string>, path = ""): T {
  if (typeof value !== "object" || value === null) {
    read.add(path);
    return value;
  }
  return new Proxy(value, {
    get(target, key) {
      const inner = Reflect.get(target, key) as unknown;
      if (typeof key === "symbol" || typeof inner === "function") return inner;
      const here = Array.isArray(target) ? `${path}[]` : path === "" ? key : `${path}.${key}`;
      read.add(here);
      return recording(inner, read, here);
    },
  });
}
