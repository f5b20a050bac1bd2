import type { ServiceRow } from "@trivium/explain";

export const sortKeys = ["name", "api", "model", "profile", "replicas", "status", "cause", "created"] as const;
export type SortKey = (typeof sortKeys)[number];

export interface TableView {
  /** Words that a row has, in any of its cells. */
  readonly filter: string;
  /** Dialects and states that are shown; none chosen means all. */
  readonly apis: readonly string[];
  readonly statuses: readonly string[];
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

export const defaultView: TableView = { filter: "", apis: [], statuses: [], sort: "status", isDescending: false };

/** What needs a person comes first. */
const urgency = ["Failed", "Degraded", "Progressing", "Idle", "Ready"];

/** The rows that a view shows, in its order. */
export function viewRows(rows: readonly ServiceRow[], view: TableView): ServiceRow[] {
  const words = view.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = rows.filter(
    (row) =>
      (view.apis.length === 0 || view.apis.includes(row.api)) &&
      (view.statuses.length === 0 || view.statuses.includes(row.status)) &&
      words.every((word) => textOf(row).includes(word)),
  );
  const direction = view.isDescending ? -1 : 1;
  return shown.sort((a, b) => direction * compare(a, b, view.sort) || nameOf(a).localeCompare(nameOf(b)));
}

const nameOf = ({ name, namespace, api }: ServiceRow): string => `${name} ${namespace} ${api}`;

const textOf = ({ name, namespace, api, model, profile, status, reason, cause }: ServiceRow): string =>
  [name, namespace, api, model, profile, status, reason, cause].join(" ").toLowerCase();

function compare(a: ServiceRow, b: ServiceRow, key: SortKey): number {
  if (key === "status") return urgency.indexOf(a.status) - urgency.indexOf(b.status);
  // The youngest first, as an age grows.
  if (key === "created") return b.created.localeCompare(a.created);
  return a[key].localeCompare(b[key], undefined, { numeric: true });
}

/** How many services there are in each state, those that need a person first. */
export function countStatuses(
  rows: readonly ServiceRow[],
): readonly { readonly status: string; readonly count: number }[] {
  const counts = Map.groupBy(rows, ({ status }) => status);
  return urgency.flatMap((status) => {
    const count = counts.get(status)?.length ?? 0;
    return count === 0 ? [] : [{ status, count }];
  });
}
