import { type AnyObject, type BuiltInRow, builtInSchema, definitionNameOf, type KubeObject } from "@trivium/kube";
import type { Instant, Json, JsonObject } from "@trivium/std";
import { UndecodableError } from "../refusals.ts";
import type { Resource, Strategy, Subresources, TableColumn, Verb } from "../resource.ts";
import { ageOf } from "./table/age.ts";
import type { Traits } from "./traits.ts";
import { completeObject } from "./wire/complete.ts";
import { DecodeFault, decodeObject } from "./wire/decode.ts";

/** A served resource from what the real server lists of it and what the kind has of its own. */
export function assembleResource(row: BuiltInRow, traits: Traits<KubeObject>): Resource {
  const { group, version, kind } = row;
  const schema = builtInSchema(group, version, kind);
  const definition = definitionNameOf(group, version, kind);
  if (schema === undefined || definition === undefined) throw new Error(`no schema of ${kind} in ${group}/${version}`);
  const columns = columnsOf(row);
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural: row.resource,
    singular: row.singular,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    namespaced: row.scope === "Namespaced",
    verbs: row.verbs as readonly Verb[],
    origin: "built-in",
    storageVersion: traits.storedAs?.version ?? version,
    storageGroup: traits.storedAs?.group,
    conversion: traits.storedAs,
    schema,
    subresources: subresourcesOf(row, traits),
    columns,
    cells: (object, now) => columns.map((column) => cellOf(traits, column.name, object, now)),
    strategy: strategyOf(row, definition, traits),
    selectableFields: traits.selectableFields ?? [],
    derivedFields: traits.derivedFields,
    warning: traits.warning,
  };
}

function strategyOf(row: BuiltInRow, definition: string, traits: Traits<KubeObject>): Strategy {
  const complete = (object: AnyObject): void => completeObject(definition, object as JsonObject);
  return {
    ...traits,
    hasGeneration: traits.hasGeneration ?? false,
    prune: (object) => decode(row, definition, object),
    applyDefaults: (object, old) => {
      complete(object);
      traits.defaults?.(object, old);
    },
    prepareForCreate: (object, context) => {
      traits.prepareForCreate?.(object, context);
      complete(object);
    },
    prepareForUpdate: (object, old, context) => {
      traits.prepareForUpdate?.(object, old, context);
      complete(object);
    },
    validate: (object, old) => traits.validate?.(object, old) ?? [],
    validateStatus: (object, old) => traits.validateStatus?.(object, old) ?? [],
    validateSubresource: (name, object, old) => traits.validateSubresource?.(name, object, old),
  };
}

function decode(row: BuiltInRow, definition: string, object: AnyObject): string[] {
  try {
    return decodeObject(definition, object as JsonObject);
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error;
    throw new UndecodableError(row, error.message);
  }
}

function subresourcesOf(row: BuiltInRow, traits: Traits<KubeObject>): Subresources {
  const all = row.subresources ?? [];
  return {
    status: all.some((one) => one.name === "status"),
    scale: traits.scale,
    others: all.filter((one) => one.name !== "status" && one.name !== "scale"),
  };
}

function columnsOf(row: BuiltInRow): TableColumn[] {
  const listed = row.columns ?? [{ name: "Name", type: "string", format: "name", priority: 0 }];
  return listed.map((column) => ({ ...column, description: "" }));
}

function cellOf(traits: Traits<KubeObject>, column: string, object: AnyObject, now: Instant): Json {
  const own = traits.cells?.[column];
  if (own !== undefined) return own(object, now);
  if (column === "Name") return object.metadata.name ?? "";
  if (column === "Age") return ageOf(object.metadata.creationTimestamp, now);
  if (column === "Created At") return object.metadata.creationTimestamp ?? "";
  return "";
}
