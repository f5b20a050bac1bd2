import { type AnyObject, evaluateJsonPath, parseJsonPath } from "@trivium/kube";
import { type Instant, isObject, type Json, parseTime } from "@trivium/std";
import { ageOf } from "../built-in/table/age.ts";
import type { TableColumn } from "../resource.ts";
import type { DefinitionVersion } from "./definition.ts";

/** The table of a custom resource: its name, then the printer columns of its version, or its age where it has none. */
export interface Columns {
  readonly columns: readonly TableColumn[];
  cells(object: AnyObject, now: Instant): Json[];
}

const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object",
  priority: 0,
};
const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

type PrinterColumn = NonNullable<DefinitionVersion["additionalPrinterColumns"]>[number];

export function columnsOf(version: DefinitionVersion): Columns {
  const wanted: readonly PrinterColumn[] = version.additionalPrinterColumns ?? [age];
  // One path that cannot be read costs the whole table, as on a real server.
  const printers = wanted.every(({ jsonPath }) => isReadable(jsonPath)) ? wanted : [age];
  return {
    columns: [nameColumn, ...printers.map(columnOf)],
    cells: (object, now) => [object.metadata.name ?? "", ...printers.map((printer) => cellOf(printer, object, now))],
  };
}

function isReadable(path: string): boolean {
  try {
    parseJsonPath(path);
    return true;
  } catch {
    return false;
  }
}

const columnOf = ({ name, type, format, description, priority, jsonPath }: PrinterColumn): TableColumn => ({
  name,
  type,
  format: format ?? "",
  description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  priority: priority ?? 0,
});

function cellOf({ type, jsonPath }: PrinterColumn, object: AnyObject, now: Instant): Json {
  const [value] = evaluateJsonPath(jsonPath, object as unknown as Json);
  if (value === undefined || value === null) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" && parseTime(value) !== undefined ? ageOf(value, now) : "<invalid>";
    default:
      return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
  }
}
