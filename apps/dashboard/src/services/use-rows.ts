import { type ReadonlySignal, useComputed } from "@preact/signals";
import { type ServiceRow, serviceRow } from "@trivium/explain";
import type { AnyObject } from "@trivium/kube";
import { serviceKindOf } from "../kube/apis.ts";
import { apis, reader, servicePaths, summaryOf } from "../kube/dialects.ts";
import { withHead } from "../kube/with-head.ts";
import { tableOf } from "../live/live-store.ts";
import { useTables } from "../live/use-tables.ts";

export interface ServiceRows {
  readonly rows: ReadonlySignal<readonly ServiceRow[]>;
  readonly isKnown: boolean;
  readonly failures: readonly string[];
}

/** A row is computed again only when its object changes: the table may be long. */
const computed = new WeakMap<AnyObject, ServiceRow>();

/** Services of all dialects, live. */
export function useServiceRows(): ServiceRows {
  const tables = useTables(servicePaths());
  const rows = useComputed(() => {
    const paths = servicePaths();
    return apis.flatMap((api, at) => {
      const kind = serviceKindOf(api);
      return [...tableOf(paths[at] ?? "").value.objects.values()].map((object) => {
        const context = { api: api.api, reader, summarizeService: summaryOf(api.api) };
        const row = computed.get(object) ?? serviceRow(withHead(kind, object), context);
        computed.set(object, row);
        return row;
      });
    });
  });
  return {
    rows,
    isKnown: tables.every(({ is }) => is !== "waiting"),
    failures: [...new Set(tables.flatMap(({ failure }) => failure ?? []))],
  };
}
