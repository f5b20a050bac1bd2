import type { Schema } from "@trivium/schema";
import { type Report, typeOf } from "./difference.ts";
import type { SampleType } from "./facts.ts";

/** A field that a sample shows must be there, and take a value of the type that the sample has. */
export function compareSample(report: Report, path: string, type: SampleType, schema: Schema): void {
  const here = follow(path, schema);
  if (here === undefined) {
    report("missing", path, type, undefined);
    return;
  }
  const ours = typeOf(here);
  if (!takes(ours, type)) report("type", path, type, ours);
}

/** The schema at `spec.parts[].name` or `spec.limits[a.b/c]`; of anything below a free field, a schema that takes anything. */
function follow(path: string, schema: Schema): Schema | undefined {
  const steps = path.match(/\[\]|\[[^\]]+\]|[^.[\]]+/g) ?? [];
  let here: Schema | undefined = schema;
  for (const step of steps) {
    if (here === undefined || here["x-kubernetes-preserve-unknown-fields"]) return here;
    here = step === "[]" ? here.items : insideOf(here, step.replace(/^\[|\]$/g, ""));
  }
  return here;
}

function insideOf(schema: Schema, key: string): Schema | undefined {
  const more = schema.additionalProperties;
  return schema.properties?.[key] ?? (typeof more === "object" ? more : undefined);
}

function takes(ours: string, type: SampleType): boolean {
  if (type === "any" || ours === "any" || ours === type) return true;
  if (ours === "quantity") return type === "string" || type === "integer";
  return (ours === "map" && type === "object") || (ours === "number" && type === "integer");
}
