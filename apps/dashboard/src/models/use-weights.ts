import type { DownloadProgress } from "@trivium/domain";
import type { Standing } from "@trivium/explain";
import type { AnyObject } from "@trivium/kube";
import { useEffect, useState } from "preact/hooks";
import { collectionPathOf, serviceKindOf, type TableKind } from "../kube/apis.ts";
import { apis, reader } from "../kube/dialects.ts";
import { scope } from "../kube/scope.ts";
import { withHead } from "../kube/with-head.ts";
import { useTables } from "../live/use-tables.ts";

/** An object that has weights: a model, or a copy of one. */
export interface WeightsRow {
  readonly api: string;
  readonly kind: TableKind;
  readonly object: AnyObject;
  readonly standing: Standing;
  readonly source?: string | undefined;
  readonly download?: DownloadProgress | undefined;
  /** Services that name it. */
  readonly usedBy: readonly { readonly namespace: string; readonly name: string }[];
}

type Decide = typeof import("../decide/downloads.ts");

/** Kinds that hold weights, by the guide of their dialect, and those whose objects copy weights. */
const weightKinds = apis.flatMap((api) =>
  api.kinds.filter(({ kind }) => kind !== api.service).map((kind) => ({ api: api.api, kind })),
);
const services = apis.map((api) => ({ api: api.api, kind: serviceKindOf(api) }));

/** Everything with weights or a download, live. */
export function useWeights(): { readonly rows: readonly WeightsRow[]; readonly isKnown: boolean } {
  const [decide, setDecide] = useState<Decide>();
  useEffect(() => {
    void import("../decide/downloads.ts").then((loaded) => setDecide(loaded));
  }, []);
  const tables = useTables([...weightKinds, ...services].map(({ kind }) => collectionPathOf(kind, scope.value)));
  const all = [...weightKinds, ...services].flatMap(({ api, kind }, at) =>
    [...(tables[at]?.objects.values() ?? [])].map((item) => ({ api, kind, object: withHead(kind, item) })),
  );
  const users = all.filter(({ kind }) => services.some((one) => one.kind === kind));
  const rows = all.flatMap(({ api, kind, object }): WeightsRow[] => {
    const [source, download] = [decide?.sourceOf(object), decide?.downloadOf(object)];
    const isModel = reader.guideOf(object).models.includes(kind.kind);
    if (!isModel && download === undefined && (source === undefined || kind.kind === serviceNames.get(api))) return [];
    return [
      { api, kind, object, source, download, standing: reader.standingOf(object), usedBy: usersOf(object, users) },
    ];
  });
  return { rows, isKnown: tables.every(({ is }) => is !== "waiting") };
}

const serviceNames = new Map(services.map(({ api, kind }) => [api, kind.kind]));

function usersOf(object: AnyObject, services: readonly { readonly object: AnyObject }[]) {
  const { name, namespace } = object.metadata;
  return services
    .filter(({ object: service }) => service.apiVersion === object.apiVersion)
    .filter(({ object: service }) =>
      reader
        .guideOf(service)
        .uses(service)
        .some(
          (one) =>
            one.name === name &&
            one.kinds.includes(object.kind) &&
            (namespace === undefined || (one.namespace ?? service.metadata.namespace) === namespace),
        ),
    )
    .map(({ object: { metadata } }) => ({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" }));
}
