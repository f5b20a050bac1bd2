import type { DownloadProgress, StoredWeights } from "@trivium/domain";
import type { Standing } from "@trivium/explain";
import type { AnyObject } from "@trivium/kube";
import { collectionPathOf, serviceKindOf, type TableKind } from "../kube/apis.ts";
import { apis, reader, weightsOf } from "../kube/dialects.ts";
import { podsPath, scope } from "../kube/scope.ts";
import { withHead } from "../kube/with-head.ts";
import { useTables } from "../live/use-tables.ts";
import { nodesOf } from "./nodes-of.ts";
import { usersOf } from "./users-of.ts";

/** An object that has weights: a model, or a copy of one. */
export interface WeightsRow {
  readonly api: string;
  readonly kind: TableKind;
  readonly object: AnyObject;
  readonly standing: Standing;
  readonly source?: string | undefined;
  readonly download?: DownloadProgress | undefined;
  readonly stored?: StoredWeights | undefined;
  /** Where its weights are, or are read. */
  readonly nodes: readonly string[];
  /** Services that name it. */
  readonly usedBy: readonly { readonly namespace: string; readonly name: string }[];
}

/** Kinds that hold weights, by the guide of their dialect, and those whose objects copy weights. */
const weightKinds = apis.flatMap((api) =>
  api.kinds.filter(({ kind }) => kind !== api.service).map((kind) => ({ api: api.api, kind })),
);
const services = apis.map((api) => ({ api: api.api, kind: serviceKindOf(api) }));

export interface Weights {
  readonly rows: readonly WeightsRow[];
  readonly isKnown: boolean;
  /** What the user cannot read. */
  readonly failures: readonly string[];
}

/** Everything with weights or a download, live. */
export function useWeights(): Weights {
  const kinds = [...weightKinds, ...services];
  const tables = useTables([...kinds.map(({ kind }) => collectionPathOf(kind, scope.value)), podsPath()]);
  const pods = [...(tables.at(-1)?.objects.values() ?? [])];
  const all = kinds.flatMap(({ api, kind }, at) =>
    [...(tables[at]?.objects.values() ?? [])].map((item) => ({ api, kind, object: withHead(kind, item) })),
  );
  const users = all.filter(({ kind }) => services.some((one) => one.kind === kind));
  const rows = all.flatMap(({ api, kind, object }): WeightsRow[] => {
    const read = weightsOf(api);
    const [source, download] = [read.weightsOf(object)?.source ?? read.sourceOf(object), read.downloadOf(object)];
    const isModel = reader.guideOf(object).models.includes(kind.kind);
    if (!isModel && download === undefined && (source === undefined || kind.kind === serviceNames.get(api))) return [];
    const [standing, stored] = [reader.standingOf(object), read.storedOf(object)];
    const [usedBy, nodes] = [usersOf(object, { services: users, all }), nodesOf(object, stored, pods)];
    return [{ api, kind, object, source, download, stored, standing, usedBy, nodes }];
  });
  const known = tables.slice(0, kinds.length);
  return {
    rows: foldServices(rows),
    isKnown: known.every(({ is }) => is !== "waiting"),
    failures: known.flatMap(({ failure }) => failure ?? []),
  };
}

/** A download that a service reports belongs to the model that it uses; without one the service keeps its row. */
function foldServices(rows: readonly WeightsRow[]): WeightsRow[] {
  const isService = ({ api, kind }: WeightsRow): boolean => kind.kind === serviceNames.get(api);
  const downloads = rows.filter((row) => isService(row) && row.download !== undefined);
  const models = rows.filter((row) => !isService(row));
  const using = ({ api, usedBy }: WeightsRow): WeightsRow | undefined =>
    downloads.find((one) => one.api === api && usedBy.some((user) => isSame(user, one.object.metadata)));
  const taken = new Set(models.flatMap((row) => using(row) ?? []));
  return [
    ...models.map((row) => ({ ...row, download: row.download ?? using(row)?.download })),
    ...rows.filter((row) => isService(row) && !taken.has(row)),
  ];
}

const isSame = (user: { namespace: string; name: string }, { namespace, name }: AnyObject["metadata"]): boolean =>
  user.namespace === namespace && user.name === name;

const serviceNames = new Map(services.map(({ api, kind }) => [api, kind.kind]));
