import type { Schema } from "@trivium/schema";
import type { KubeObject } from "./object.ts";

declare const objectType: unique symbol;

/** One kind of the API, as clients name it. The type parameter is for the compiler only. */
export interface Kind<O extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly [objectType]?: O;
}

export type ObjectOf<K> = K extends Kind<infer O> ? O : never;

/** A kind that one of our dialects defines: everything a CRD says of it. */
export interface DefinedKind<O extends KubeObject = KubeObject> extends Kind<O> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly columns: readonly PrinterColumn[];
  /** Schema of the whole object (spec, status and the standard head). */
  readonly schema: Schema;
  readonly hasStatus: boolean;
  readonly scale?: ScalePaths | undefined;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, anything higher only in wide output. */
  readonly priority?: number;
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export function apiVersionOf(kind: Kind): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** `aimservices.aim.silogen.ai`, the name of a resource across groups and the name of its CRD. */
export function groupResourceOf(kind: Kind): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** A kind without its schema: what a decision says of it should be readable. */
export const bareKind = ({ group, version, kind, plural, namespaced }: Kind): Kind => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});
