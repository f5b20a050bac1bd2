import type { FieldError, Schema } from "@trivium/schema";
import { append } from "@trivium/std";
import type { DefinitionVersion } from "./definition.ts";

/** What is wrong with the parts of one version beside its schema. */
const bad = (field: string, value: string, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  value,
  detail,
});

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function faultsOfColumns({ additionalPrinterColumns = [] }: DefinitionVersion, at: string): FieldError[] {
  return additionalPrinterColumns.flatMap(({ name, type, format, jsonPath }, index) => {
    const field = `${at}[${index}]`;
    const faults: FieldError[] = [];
    if ((name ?? "") === "") faults.push({ reason: "FieldValueRequired", field: `${field}.name`, detail: "" });
    if ((type ?? "") === "") {
      faults.push({
        reason: "FieldValueRequired",
        field: `${field}.type`,
        detail: `must be one of ${columnTypes.join(",")}`,
      });
    } else if (!columnTypes.includes(type))
      faults.push(bad(`${field}.type`, type, `must be one of ${columnTypes.join(",")}`));
    if (format !== undefined && format !== "" && !columnFormats.includes(format)) {
      faults.push(bad(`${field}.format`, format, `must be one of ${columnFormats.join(",")}`));
    }
    if ((jsonPath ?? "") === "") faults.push({ reason: "FieldValueRequired", field: `${field}.JSONPath`, detail: "" });
    else append(faults, faultsOfPath(jsonPath, `${field}.JSONPath`));
    return faults;
  });
}

function faultsOfPath(path: string, field: string): FieldError[] {
  return path.startsWith(".") ? [] : [bad(field, path, "must be a simple json path starting with .")];
}

const simplePath = /^(\.[^.[\]]+)+$/;

export function faultsOfSubresources({ subresources }: DefinitionVersion, at: string): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const faults: FieldError[] = [];
  const check = (
    part: "specReplicasPath" | "statusReplicasPath" | "labelSelectorPath",
    under: readonly string[],
  ): void => {
    const value = scale[part] ?? "";
    const field = `${at}.scale.${part}`;
    if (value === "") {
      if (part !== "labelSelectorPath") faults.push({ reason: "FieldValueRequired", field, detail: "" });
      return;
    }
    if (!simplePath.test(value)) faults.push(bad(field, value, "must be a simple json path starting with ."));
    else if (!under.some((root) => value.startsWith(`${root}.`))) {
      const where = under.length === 1 ? under[0] : `either ${under.join(" or ")}`;
      faults.push(bad(field, value, `should be a json path under ${where}`));
    }
  };
  check("specReplicasPath", [".spec"]);
  check("statusReplicasPath", [".status"]);
  check("labelSelectorPath", [".spec", ".status"]);
  return faults;
}

export function faultsOfSelectableFields(version: DefinitionVersion, at: string): FieldError[] {
  const fields = version.selectableFields ?? [];
  const faults: FieldError[] = [];
  if (fields.length > 8) faults.push({ reason: "FieldValueTooMany", field: at, detail: "must have at most 8 items" });
  const seen = new Set<string>();
  for (const [index, { jsonPath = "" }] of fields.entries()) {
    const field = `${at}[${index}].jsonPath`;
    const found = schemaAt(version.schema?.openAPIV3Schema as Schema | undefined, jsonPath);
    if (jsonPath === "") faults.push({ reason: "FieldValueRequired", field, detail: "" });
    else if (seen.has(jsonPath)) faults.push({ reason: "FieldValueDuplicate", field, value: jsonPath, detail: "" });
    else if (jsonPath.startsWith(".metadata"))
      faults.push(bad(field, jsonPath, "must not point to fields in metadata"));
    else if (found === undefined)
      faults.push(bad(field, jsonPath, "is an invalid path: does not refer to a valid field"));
    else if (!["string", "boolean", "integer"].includes(found.type ?? "")) {
      faults.push(
        bad(
          field,
          jsonPath,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      );
    }
    seen.add(jsonPath);
  }
  return faults;
}

function schemaAt(schema: Schema | undefined, path: string): Schema | undefined {
  let here = schema;
  for (const key of path.split(".").slice(1)) here = here?.properties?.[key];
  return simplePath.test(path) ? here : undefined;
}
