import type { DefinedKind } from "@trivium/kube";

/** What a person wants explained. */
export interface Subject {
  readonly kind: DefinedKind;
  readonly name: string;
}

/** What the words may mean: kinds of two APIs can have the same name. */
export interface Wanted {
  readonly kinds: readonly DefinedKind[];
  readonly name: string;
}
