import type { AnyObject, ScalePaths } from "@trivium/kube";
import type { FieldError, Schema } from "@trivium/schema";
import type { Instant, Json } from "@trivium/std";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** One served resource at one version: all that the verbs need to know of it, built-in or from a CRD. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly origin: "built-in" | "custom";
  readonly storageVersion: string;
  /** The group that objects are stored under, where it is another: the events of `events.k8s.io` are those of the core group. */
  readonly storageGroup?: string | undefined;
  /** Between the stored form and this one. Left out where they differ in `apiVersion` only, as versions of a CRD do. */
  readonly conversion?: Conversion | undefined;
  /** Schema of the whole object, metadata included, with merge keys and list types. */
  readonly schema: Schema;
  readonly subresources: Subresources;
  readonly columns: readonly TableColumn[];
  /** The cells of one table row, one for each of `columns`. */
  cells(object: AnyObject, now: Instant): Json[];
  readonly strategy: Strategy;
  /** Field selector paths beside `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly string[];
  /** Those of them whose value is not the one at their path. */
  readonly derivedFields?: Readonly<Record<string, (object: AnyObject) => string>> | undefined;
  /** Sent with every answer, for deprecated versions. */
  readonly warning?: string | undefined;
  /** The revision of the store at which a CRD got this schema; older objects are pruned and defaulted when they are read. */
  readonly schemaSince?: number | undefined;
  /** Set while the CRD is being deleted: what is there can be seen out, nothing new comes. */
  readonly isLeaving?: boolean | undefined;
}

/** Both change an object in place, and leave `apiVersion` to the server. */
export interface Conversion {
  fromStored(object: AnyObject): void;
  toStored(object: AnyObject): void;
}

export interface Subresources {
  readonly status: boolean;
  readonly scale?: ScalePaths | undefined;
  /** Others by name, such as `log` and `eviction` of pods, with the verbs they answer. */
  readonly others: readonly { readonly name: string; readonly kind: string; readonly verbs: readonly string[] }[];
}

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** What is particular to a resource in the life of its objects. Every function is synchronous and touches only its arguments. */
export interface Strategy {
  /** Drops what the schema does not know, in place, and returns the paths dropped (`spec.foo`, `spec.env[0].bar`). */
  prune(object: AnyObject): string[];
  /** Fills in defaults, in place. `old` is there on update, for values that are kept once allocated. */
  applyDefaults(object: AnyObject, old?: AnyObject): void;
  /** Clears or sets what the writer may not choose on create. The verbs already handle metadata and drop status. */
  prepareForCreate?(object: AnyObject, context: StrategyContext): void;
  /** The same on update of the main resource; status is already that of `old` where there is a status subresource. */
  prepareForUpdate?(object: AnyObject, old: AnyObject, context: StrategyContext): void;
  /** Faults of a name; the rule of DNS subdomains when left out. */
  validateName?(name: string): string[];
  /** Faults of the whole object; with `old`, transitions too. What is wrong and let pass is told to `warn`. */
  validate(object: AnyObject, old?: AnyObject, warn?: (text: string) => void): FieldError[];
  /** Faults of a status update. `validate` is used when left out. */
  validateStatus?(object: AnyObject, old: AnyObject): FieldError[];
  /** Faults of an update by another subresource; undefined where `validate` decides. */
  validateSubresource?(subresource: string, object: AnyObject, old: AnyObject): FieldError[] | undefined;
  /** Warnings to send along, as kube-apiserver does for deprecated or dubious fields. */
  warnings?(object: AnyObject): string[];
  /** Whether a change of anything but metadata and status raises `metadata.generation`; true for custom resources. */
  readonly hasGeneration: boolean;
  /** How objects are deleted when the caller does not say. Pods get 30 s from their spec; most others none. */
  graceSeconds?(object: AnyObject): number;
  /** Propagation when the caller does not say; Background when left out. */
  readonly defaultPropagation?: "Background" | "Orphan";
  /** Whether an update without `metadata.resourceVersion` overwrites; false for custom resources, true when left out otherwise. */
  readonly allowsUnconditionalUpdate?: boolean;
  /** Whether an update of an object that is not there creates it. */
  readonly allowsCreateOnUpdate?: boolean;
  /** Whether the status of a created object is kept, as for nodes that register themselves. */
  readonly keepsStatusOnCreate?: boolean;
}

/** What strategies may use of the server: allocation of values that must be unique in the cluster. */
export interface StrategyContext {
  readonly now: Instant;
  allocateClusterIp(wanted?: string): string | FieldError;
  allocateNodePort(wanted?: number): number | FieldError;
  /** The class of this name, or without one that of all pods that name none. */
  priorityClassOf?(name: string | undefined): PodPriority | undefined;
}

export interface PodPriority {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy?: "Never" | "PreemptLowerPriority" | undefined;
}
