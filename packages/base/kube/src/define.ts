import { type Optional, obj, opt, type Rule, type Schema, type SchemaOf, str } from "@trivium/schema";
import type { DefinedKind, PrinterColumn, ScalePaths } from "./kind.ts";
import { groupResourceOf } from "./kind.ts";
import type { KubeObject } from "./object.ts";

/** What is said of a kind once; `defineKind` makes the rest. */
export interface KindDefinition<Spec, Status> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly description: string;
  readonly columns?: readonly PrinterColumn[];
  readonly spec: SchemaOf<Spec>;
  /** Set when objects without a spec are valid. */
  readonly specIsOptional?: boolean;
  readonly status: SchemaOf<Status>;
  /** False for the rare kind whose status is written with the object. */
  readonly hasStatusSubresource?: boolean;
  readonly scale?: ScalePaths;
  /** CEL rules over the whole object. */
  readonly rules?: Rule[];
}

export type DefinedObject<Spec, Status> = KubeObject & { spec: Spec; status?: Status };

export function defineKind<Spec, Status>(
  definition: KindDefinition<Spec, Status>,
): DefinedKind<DefinedObject<Spec, Status>> {
  const { group, version, kind, plural } = definition;
  return {
    group,
    version,
    kind,
    plural,
    singular: definition.singular ?? kind.toLowerCase(),
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    namespaced: definition.scope === "Namespaced",
    columns: definition.columns ?? [],
    schema: wholeObject(definition),
    hasStatus: definition.hasStatusSubresource ?? true,
    scale: definition.scale,
  };
}

function wholeObject<Spec, Status>(definition: KindDefinition<Spec, Status>): Schema {
  const optionally = <T>(schema: SchemaOf<T>, when: boolean): SchemaOf<T> | Optional<T> =>
    when ? opt(schema) : schema;
  return obj(
    definition.description,
    {
      apiVersion: opt(str("Group and version of this object's schema")),
      kind: opt(str("Name of the kind this object is of")),
      metadata: opt<object>({ type: "object" }),
      spec: optionally(definition.spec, definition.specIsOptional ?? false),
      status: opt(definition.status),
    },
    definition.rules === undefined ? {} : { rules: definition.rules },
  );
}

/** The two scopes of one kind. */
export interface TwinDefinition<Spec, Status>
  extends Omit<KindDefinition<Spec, Status>, "kind" | "plural" | "singular" | "shortNames" | "scope" | "description"> {
  readonly namespaced: TwinNames;
  readonly cluster: TwinNames;
}
export type TwinNames = Pick<
  KindDefinition<unknown, unknown>,
  "kind" | "plural" | "singular" | "shortNames" | "description"
> & {
  readonly columns?: readonly PrinterColumn[];
};

/** A namespaced kind and its cluster-wide twin, from one definition: `[namespaced, cluster]`. */
export function defineTwin<Spec, Status>(
  definition: TwinDefinition<Spec, Status>,
): readonly [DefinedKind<DefinedObject<Spec, Status>>, DefinedKind<DefinedObject<Spec, Status>>] {
  const { namespaced, cluster, ...shared } = definition;
  return [
    defineKind({ ...shared, ...namespaced, scope: "Namespaced" }),
    defineKind({ ...shared, ...cluster, scope: "Cluster" }),
  ];
}

/** The CustomResourceDefinition of a kind, as it is applied to a cluster. */
export function emitCrd(kind: DefinedKind): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: groupResourceOf(kind) },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        ...(kind.shortNames.length > 0 ? { shortNames: [...kind.shortNames] } : {}),
        ...(kind.categories.length > 0 ? { categories: [...kind.categories] } : {}),
      },
      scope: kind.namespaced ? "Namespaced" : "Cluster",
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          ...(kind.columns.length > 0
            ? { additionalPrinterColumns: kind.columns.map((column) => ({ ...column })) }
            : {}),
          schema: { openAPIV3Schema: kind.schema },
          ...(kind.hasStatus || kind.scale
            ? {
                subresources: {
                  ...(kind.hasStatus ? { status: {} } : {}),
                  ...(kind.scale ? { scale: { ...kind.scale } } : {}),
                },
              }
            : {}),
        },
      ],
    },
  };
}

export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string;
    names: {
      kind: string;
      listKind?: string;
      plural: string;
      singular?: string;
      shortNames?: string[];
      categories?: string[];
    };
    scope: "Namespaced" | "Cluster";
    versions: CrdVersion[];
    conversion?: { strategy: "None" | "Webhook"; webhook?: unknown };
    preserveUnknownFields?: boolean;
  };
  status?: {
    conditions?: { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }[];
    acceptedNames?: CustomResourceDefinition["spec"]["names"];
    storedVersions?: string[];
  };
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: { status?: object; scale?: ScalePaths };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}
