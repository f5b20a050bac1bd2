import type { AnyObject, Kind } from "@trivium/kube";

/** Items of a list come without their kind; commands that handle several kinds need it. */
export const withKind = (kind: Pick<Kind, "kind">, item: object): AnyObject =>
  ({ ...item, kind: kind.kind }) as AnyObject;
