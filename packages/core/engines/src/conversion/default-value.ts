import type { ReadField } from "@trivium/domain";
import type { DefinedKind } from "@trivium/kube";
import type { Schema } from "@trivium/schema";
import { deepEqual } from "@trivium/std";

/** Whether a field has the value that the API server fills in: nobody wrote it, so nothing is lost without it. */
export function isDefaultValue(kinds: readonly DefinedKind[], { kind, path, value, key }: ReadField): boolean {
  if (key !== undefined) return false;
  const schema = kinds.find((one) => one.kind === kind)?.schema;
  const field = path.reduce<Schema | undefined>((inner, part) => inner?.properties?.[part], schema);
  return field?.default !== undefined && deepEqual(field.default, value);
}
