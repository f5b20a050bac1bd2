import { builtInSchema, type ScalePaths } from "@trivium/kube";
import { type Schema, shareSubschemas } from "@trivium/schema";
import type { Resource } from "../resource.ts";
import { columnsOf } from "./columns.ts";
import { type Definition, type DefinitionVersion, storageVersionOf } from "./definition.ts";
import { customStrategy, wholeSchema } from "./strategy.ts";

const metadataSchema: Schema = builtInSchema("", "v1", "ConfigMap")?.properties?.metadata ?? { type: "object" };

/** The resources that a CRD brings, one for each served version. `since` is the revision at which it got its present spec. */
export function customResources(crd: Definition, since: number): Resource[] {
  return (crd.spec.versions ?? []).filter(({ served }) => served).map((version) => customResource(crd, version, since));
}

function customResource(crd: Definition, version: DefinitionVersion, since: number): Resource {
  const { group, scope } = crd.spec;
  const names = crd.status?.acceptedNames ?? crd.spec.names;
  const own = (version.schema?.openAPIV3Schema ?? { type: "object" }) as Schema;
  const shared = shareSubschemas(own);
  const { columns, cells } = columnsOf(version);
  return {
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === "Namespaced",
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    origin: "custom",
    storageVersion: storageVersionOf(crd),
    schema: wholeSchema(shared, metadataSchema),
    subresources: {
      status: version.subresources?.status !== undefined,
      scale: version.subresources?.scale as ScalePaths | undefined,
      others: [],
    },
    columns,
    cells,
    strategy: customStrategy(shared, version.subresources?.scale as ScalePaths | undefined),
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, "")),
    warning: warningOf(crd, version),
    schemaSince: since,
    isLeaving: crd.metadata.deletionTimestamp !== undefined,
  };
}

function warningOf(crd: Definition, version: DefinitionVersion): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names } = crd.spec;
  const newest = crd.spec.versions.find(
    ({ served, deprecated, name }) => served && deprecated !== true && isStabler(name, version.name),
  );
  const instead = newest === undefined ? "" : `; use ${group}/${newest.name} ${names.kind}`;
  return `${group}/${version.name} ${names.kind} is deprecated${instead}`;
}

/** Versions order by stability first: v1 before v1beta1 before v1alpha1. */
function isStabler(a: string, b: string): boolean {
  const rank = (version: string): number[] => {
    const [, major = "0", stage = "", minor = "0"] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
    return [stage === "" ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor)];
  };
  const [x, y] = [rank(a), rank(b)];
  for (let index = 0; index < 3; index++) if (x[index] !== y[index]) return (x[index] as number) > (y[index] as number);
  return false;
}
