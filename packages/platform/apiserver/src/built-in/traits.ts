import type { KubeObject, ScalePaths } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
import type { Instant, Json } from "@trivium/std";
import type { Conversion, StrategyContext } from "../resource.ts";

/** What a built-in kind has of its own. Objects are decoded before anything here sees them, so the types hold. */
export interface Traits<O extends KubeObject> {
  /** Fills in what the writer left to the server. */
  defaults?(object: O, old?: O): void;
  prepareForCreate?(object: O, context: StrategyContext): void;
  prepareForUpdate?(object: O, old: O, context: StrategyContext): void;
  validateName?(name: string): string[];
  validate?(object: O, old?: O): FieldError[];
  validateStatus?(object: O, old: O): FieldError[];
  validateSubresource?(subresource: string, object: O, old: O): FieldError[] | undefined;
  warnings?(object: O): string[];
  /** The form that is stored, where it is not this one. */
  readonly storedAs?: Conversion & { readonly group: string; readonly version: string };
  /** Sent with every answer, for deprecated kinds. */
  readonly warning?: string;
  readonly hasGeneration?: boolean;
  graceSeconds?(object: O): number;
  readonly defaultPropagation?: "Background" | "Orphan";
  readonly allowsUnconditionalUpdate?: boolean;
  readonly allowsCreateOnUpdate?: boolean;
  readonly keepsStatusOnCreate?: boolean;
  readonly selectableFields?: readonly string[];
  /** Those of them whose value is not the one at their path. */
  readonly derivedFields?: Readonly<Record<string, (object: O) => string>>;
  readonly scale?: ScalePaths;
  /** Cells by the name of their column; `Name`, `Age` and `Created At` are there for every kind. */
  readonly cells?: Readonly<Record<string, (object: O, now: Instant) => Json>>;
}

/** Keeps the kind's type inside the table of kinds, where it no longer matters. */
export function traits<O extends KubeObject>(own: Traits<O>): Traits<KubeObject> {
  return own as unknown as Traits<KubeObject>;
}
