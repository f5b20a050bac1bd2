import type { AnyObject, ListMeta } from "@trivium/kube";
import type { Instant, Json } from "@trivium/std";
import type { Resource, TableColumn } from "../resource.ts";

/** What of an object comes with its row. */
export type TableInclude = "None" | "Metadata" | "Object";

const definitions = new WeakMap<readonly TableColumn[], string>();

/** The beginning of a table, up to the first row. */
export function tableHead(resource: Resource, apiVersion: string, meta: ListMeta): string {
  let columns = definitions.get(resource.columns);
  if (columns === undefined) {
    columns = JSON.stringify(
      resource.columns.map(({ name, type, format, description, priority }) => ({
        name,
        type,
        format,
        description,
        priority,
      })),
    );
    definitions.set(resource.columns, columns);
  }
  return `{"kind":"Table","apiVersion":"${apiVersion}","metadata":${JSON.stringify(meta)},"columnDefinitions":${columns},"rows":[`;
}

export interface RowOptions {
  readonly now: Instant;
  readonly include: TableInclude;
  partial(): object;
}

export function rowOf(resource: Resource, object: AnyObject, options: RowOptions): string {
  const cells = JSON.stringify(cellsOf(resource, object, options.now));
  return `{"cells":${cells},"object":${included(object, options)}}`;
}

/** An object that no column can be read from is shown by its name; it must not cost a list, or the answer to a write. */
function cellsOf(resource: Resource, object: AnyObject, now: Instant): Json[] {
  try {
    return resource.cells(object, now);
  } catch {
    return resource.columns.map((_, index) => (index === 0 ? (object.metadata.name ?? "") : null));
  }
}

function included(object: AnyObject, options: RowOptions): string {
  if (options.include === "None") return "null";
  return JSON.stringify(options.include === "Object" ? object : options.partial());
}
