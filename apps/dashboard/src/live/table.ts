import type { ErrorLine, WatchLine } from "@trivium/dashboard-server/contract";
import type { AnyObject } from "@trivium/kube";

/** The objects of one collection, as far as the stream has reported them. */
export interface LiveTable {
  readonly is: "waiting" | "known" | "refused";
  readonly objects: ReadonlyMap<string, AnyObject>;
  /** Where the stream goes on after a break. */
  readonly resourceVersion?: string | undefined;
  /** Why the collection cannot be read. */
  readonly failure?: string | undefined;
}

export const emptyTable: LiveTable = { is: "waiting", objects: new Map() };

const keyOf = ({ metadata }: AnyObject): string => `${metadata.namespace ?? ""}/${metadata.name}`;

/** What changes a table. */
export type TableLine = Exclude<WatchLine<AnyObject>, { readonly type: "HEARTBEAT" }>;

/** The table after some lines. */
export function applyLines(table: LiveTable, lines: readonly TableLine[]): LiveTable {
  const objects = new Map(table.objects);
  let next: LiveTable = table;
  for (const line of lines) next = { ...next, ...applyLine(objects, line) };
  // The same map means that nothing changed: a page need not look again.
  return { ...next, objects: lines.some(changesObjects) ? objects : table.objects };
}

const changesObjects = ({ type }: TableLine): boolean => type !== "BOOKMARK" && type !== "ERROR";

function applyLine(objects: Map<string, AnyObject>, line: TableLine): Partial<LiveTable> {
  if (line.type === "ERROR") return refusalOf(line);
  if (line.type === "LIST") {
    objects.clear();
    for (const item of line.items) objects.set(keyOf(item), item);
  } else if (line.type === "DELETED") objects.delete(keyOf(line.object));
  else if (line.type !== "BOOKMARK") objects.set(keyOf(line.object), line.object);
  return { is: "known", failure: undefined, resourceVersion: line.resourceVersion };
}

/** A kind that is not served has no objects. What was read before a break is kept until the stream goes on. */
function refusalOf({ code, message, isRetried }: ErrorLine): Partial<LiveTable> {
  if (code === 404) return { is: "known", resourceVersion: undefined };
  return isRetried ? { failure: message } : { is: "refused", failure: message, resourceVersion: undefined };
}
