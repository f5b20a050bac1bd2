import { canonicalJson, nameWithHash } from "@trivium/std";
import type { BenchmarkJob } from "../pod/check-spec.ts";

/** A Job cannot be changed, so each wish has a Job of its own: the same wish the same one, whatever the world looked like. */
export const jobNameOf = ({ metadata, spec }: BenchmarkJob): string =>
  nameWithHash(metadata.name ?? "", canonicalJson({ name: metadata.name ?? "", spec }));
