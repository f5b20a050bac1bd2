import type { Signal } from "@preact/signals";
import { formatAge, type ServiceRow } from "@trivium/explain";
import { now } from "../kube/clock.ts";
import { Api, Status } from "../parts/status.tsx";
import { formatRoute } from "../routing/route.ts";
import type { SortKey, TableView } from "./service-table.ts";

const columns: readonly (readonly [SortKey, string])[] = [
  ["name", "Service"],
  ["api", "API"],
  ["model", "Model"],
  ["profile", "Profile"],
  ["replicas", "Replicas"],
  ["status", "Status"],
  ["cause", "Cause"],
  ["created", "Age"],
];

export function ServiceHead({ view }: { readonly view: Signal<TableView> }) {
  const { sort, isDescending } = view.value;
  const choose = (key: SortKey) => {
    view.value = { ...view.value, sort: key, isDescending: key === sort && !isDescending };
  };
  return (
    <thead>
      <tr>
        {columns.map(([key, title]) => (
          <th key={key} scope="col" class={`col-${key}`} aria-sort={orderOf(key === sort, isDescending)}>
            <button type="button" class="sort" onClick={() => choose(key)}>
              {title}
            </button>
          </th>
        ))}
      </tr>
    </thead>
  );
}

function orderOf(isSorted: boolean, isDescending: boolean): "none" | "ascending" | "descending" {
  if (!isSorted) return "none";
  return isDescending ? "descending" : "ascending";
}

export function ServiceLine({ row, at }: { readonly row: ServiceRow; readonly at: number }) {
  const { name, namespace, api, model, profile, replicas, status, reason, cause, created } = row;
  const href = formatRoute({ page: "service", api, namespace, name, tab: "summary" });
  return (
    <tr aria-rowindex={at + 2}>
      <td class="col-name">
        <a href={href}>{name}</a> <span class="muted">{namespace}</span>
      </td>
      <td class="col-api">
        <Api api={api} />
      </td>
      <td class="col-model" title={model}>
        {model}
      </td>
      <td class="col-profile" title={profile}>
        {profile}
      </td>
      <td class="col-replicas">{replicas}</td>
      <td class="col-status" title={reason}>
        <Status status={status} />
      </td>
      <td class="col-cause" title={cause}>
        <span class="two-lines">{cause}</span>
      </td>
      <td class="col-created" title={localTime(created)}>
        {formatAge(now.value - Date.parse(created))}
      </td>
    </tr>
  );
}

const localTime = (time: string): string => new Date(time).toLocaleString();
