import type { ObjectMeta } from "@trivium/kube";
import { getOwn, isObject, type Json, setOwn } from "@trivium/std";

/** What a text refers to and nobody knows. */
export class UnknownPlaceholder extends Error {}

/**
 * Puts what is known of the service into every text of a value: `{{.Name}}`, `{{.Namespace}}`, `{{.Labels.x}}`, `{{.Annotations.x}}`, and
 * `{{index .Labels "a/b"}}`. `$(VAR)` is left to the kubelet.
 */
export function fillPlaceholders<T>(value: T, metadata: ObjectMeta): T {
  return fill(value as Json, metadata) as T;
}

function fill(value: Json, metadata: ObjectMeta): Json {
  if (typeof value === "string") return value.includes("{{") ? fillText(value, metadata) : value;
  if (Array.isArray(value)) return value.map((one) => fill(one, metadata));
  if (!isObject(value)) return value;
  const filled: Record<string, Json> = {};
  for (const key of Object.keys(value)) setOwn(filled, key, fill(value[key] as Json, metadata));
  return filled;
}

const reference =
  /^(?:\.(Name|Namespace)|\.(Labels|Annotations)\.([\w-]{1,63})|index\s+\.(Labels|Annotations)\s+"([^"\\]{1,317})")$/;

function fillText(text: string, metadata: ObjectMeta): string {
  return text.replace(/\{\{-?\s*(.{0,400}?)\s*-?\}\}/gs, (whole, inner: string) => {
    const [, own, map, key, indexed, quoted] = reference.exec(inner) ?? [];
    if (own === "Name") return metadata.name ?? "";
    if (own === "Namespace") return metadata.namespace ?? "";
    const from = (map ?? indexed) === "Labels" ? metadata.labels : metadata.annotations;
    if (map !== undefined || indexed !== undefined) return getOwn(from, key ?? quoted ?? "") ?? "";
    throw new UnknownPlaceholder(
      `${whole} is not a valid placeholder (expected .Name, .Namespace, .Labels or .Annotations); correct it in the spec or the runtime`,
    );
  });
}
