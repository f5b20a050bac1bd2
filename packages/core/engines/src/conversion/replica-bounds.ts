import type { PortableService } from "@trivium/domain";
import type { FieldReader } from "./field-reader.ts";

interface BoundPaths {
  readonly min: readonly string[];
  readonly max: readonly string[];
  /** The maximum where only a minimum is stated; none where that means no autoscaling. */
  readonly maxFor?: (min: number) => number;
}

/** Bounds of autoscaling; equal ones are a fixed number. */
export function takeBounds(
  reader: FieldReader,
  { min, max, maxFor }: BoundPaths,
): Pick<PortableService, "replicas" | "minReplicas" | "maxReplicas"> | undefined {
  const [stated, most] = [reader.peek(min), reader.peek(max)] as (number | undefined)[];
  const maxReplicas = most ?? (stated === undefined ? undefined : maxFor?.(stated));
  if (maxReplicas === undefined) return undefined;
  const isFixed = stated === maxReplicas;
  reader.take(isFixed ? "replicas" : "minReplicas", ...min);
  reader.take(isFixed ? "replicas" : "maxReplicas", ...max);
  return isFixed ? { replicas: maxReplicas } : { minReplicas: stated, maxReplicas };
}
