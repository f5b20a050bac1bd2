import { parseImageReference } from "@trivium/engines";
import { sha256Hex } from "@trivium/std";
import { nameBefore, sanitizeName } from "../names.ts";

/** The name of a model that is made because somebody names its image. */
export function autoModelName(image: string): string {
  const { repository = "model", tag, digest } = parseImageReference(image) ?? {};
  const version = tag ?? digest?.slice("sha256:".length, "sha256:".length + 6) ?? "latest";
  const name = repository.split("/").at(-1) ?? repository;
  return nameBefore(name, `-${sanitizeName(version, 24)}-${sha256Hex(image).slice(0, 8)}`);
}

export interface TemplateTraits {
  readonly gpuModel?: string | undefined;
  readonly gpuCount?: number | undefined;
  readonly metric?: string | undefined;
  readonly precision?: string | undefined;
  readonly profileId?: string | undefined;
}

/** The name of the template for one recommended way to run a model: what tells it apart, and a hash of the same. */
export function autoTemplateName(model: string, traits: TemplateTraits): string {
  const { gpuModel, gpuCount, metric, precision, profileId } = traits;
  const count = gpuCount === undefined ? undefined : `x${gpuCount}`;
  // The profile counts only where there is one, so that names stay as they have always been.
  const hashed = [model, gpuModel, count, metric, precision, profileId].filter((part) => part).join("-");
  const words = [hardwareWord(gpuModel, gpuCount), metricWord(metric), precision].flatMap((word) =>
    word ? [sanitizeName(word)] : [],
  );
  return nameBefore(model, `-${[...words, sha256Hex(hashed).slice(0, 4)].join("-").slice(-56)}`);
}

function hardwareWord(model: string | undefined, count: number | undefined): string | undefined {
  if (model && count !== undefined) return `${count}x-${model}`;
  return model || (count === undefined ? undefined : `x${count}`);
}

const metricWord = (metric: string | undefined): string | undefined =>
  metric === "latency" ? "lat" : metric === "throughput" ? "thr" : metric;
