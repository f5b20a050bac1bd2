import { type ReadonlySignal, useComputed } from "@preact/signals";
import { type ServiceRow, serviceRow } from "@trivium/explain";
import { type AnyObject, Deployment, LeaderWorkerSet } from "@trivium/kube";
import { collectionPathOf, serviceKindOf } from "../kube/apis.ts";
import { apis, reader, servicePaths, summaryOf } from "../kube/dialects.ts";
import { scope } from "../kube/scope.ts";
import { withHead } from "../kube/with-head.ts";
import { tableOf } from "../live/live-store.ts";
import { useTables } from "../live/use-tables.ts";
import { groupByOwner } from "./group-by-owner.ts";
import { pathsIn, usedBy, usedPaths } from "./used-objects.ts";

export interface ServiceRows {
  readonly rows: ReadonlySignal<readonly ServiceRow[]>;
  readonly isKnown: boolean;
  readonly failures: readonly string[];
}

interface RowParts {
  readonly workloads: readonly AnyObject[];
  readonly uses: readonly AnyObject[];
}

/** A row is computed again only when its object, one of its workloads or what it waits for changes: the table may be long. */
const computed = new WeakMap<AnyObject, RowParts & { readonly row: ServiceRow }>();

/** Services of all dialects, live. */
export function useServiceRows(): ServiceRows {
  const tables = useTables(servicePaths());
  // A signal, so that the workloads are read from the tables that are watched from then on.
  const isCounting = useComputed(() =>
    servicePaths().some((path, at) => objectsAt(path).some((object) => !hasReplicas(at, object))),
  );
  useTables(isCounting.value ? workloadPaths() : []);
  const workloads = useComputed(() => groupByOwner(isCounting.value ? workloadPaths().flatMap(objectsAt) : none));
  const used = useComputed(() =>
    usedPaths(
      servicesNow().map(({ object }) => object),
      scope.value,
    ),
  );
  useTables(pathsIn(used.value));
  const rows = useComputed(() =>
    servicesNow().map(({ api, object }) =>
      rowOf(api, object, {
        workloads: workloads.value.get(object.metadata.uid ?? "") ?? none,
        uses: usedBy(object, scope.value),
      }),
    ),
  );
  return {
    rows,
    isKnown: tables.every(({ is }) => is !== "waiting"),
    failures: [...new Set(tables.flatMap(({ failure }) => failure ?? []))],
  };
}

function servicesNow(): readonly { readonly api: string; readonly object: AnyObject }[] {
  const paths = servicePaths();
  return apis.flatMap((api, at) => {
    const kind = serviceKindOf(api);
    return objectsAt(paths[at] ?? "").map((object) => ({ api: api.api, object: withHead(kind, object) }));
  });
}

const none: readonly AnyObject[] = [];

/** Whether the service reports its replicas; otherwise those of its workloads are counted, where the user can read them. */
const hasReplicas = (at: number, object: AnyObject): boolean =>
  summaryOf(apis[at]?.api ?? "")(object).replicas !== undefined;

const workloadPaths = (): string[] => [Deployment, LeaderWorkerSet].map((kind) => collectionPathOf(kind, scope.value));

const objectsAt = (path: string): AnyObject[] => [...tableOf(path).value.objects.values()];

function rowOf(api: string, object: AnyObject, { workloads, uses }: RowParts): ServiceRow {
  const last = computed.get(object);
  if (last !== undefined && isSame(last.workloads, workloads) && isSame(last.uses, uses)) return last.row;
  const row = serviceRow(object, { api, reader, summarizeService: summaryOf(api), workloads, uses });
  computed.set(object, { row, workloads, uses });
  return row;
}

const isSame = (a: readonly AnyObject[], b: readonly AnyObject[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at]);
