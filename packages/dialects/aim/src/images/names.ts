import { sha256Hex } from "@trivium/std";
import { objectName, objectNameBefore } from "../names.ts";

/** The name of a model that is created because a service names its image. The tag stays whole, whatever its length; the name gives way. */
export function autoModelName(image: string): string {
  const last = image.split("/").at(-1) ?? "";
  const [named = "", digest] = last.split("@");
  const [repository = "", tag = "latest"] = digest === undefined ? last.split(":") : [named, shortDigest(digest)];
  const rest = `-${nameWord(tag.slice(0, longestTag)) || "notag"}-${sha256Hex(image).slice(0, 8)}`;
  const name = (nameWord(repository) || "model").slice(0, Math.max(1, 63 - rest.length));
  return `${name.replace(/-+$/, "")}${rest}`;
}

/** No registry takes a longer one. */
const longestTag = 128;

/** `sha256:0123456789…` as `012345`. */
const shortDigest = (digest: string): string => (digest.split(":")[1] ?? "").slice(0, 6);

const nameWord = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

interface TemplateTraits {
  readonly gpuModel?: string | undefined;
  readonly gpuCount?: number | undefined;
  readonly metric?: string | undefined;
  readonly precision?: string | undefined;
  readonly profileId?: string | undefined;
}

/** The name of the template for one recommended way to run a model: what tells it apart, and a hash of the same. */
export function autoTemplateName(model: string, traits: TemplateTraits): string {
  const { gpuModel, metric, precision, profileId } = traits;
  const gpuCount = traits.gpuCount || undefined;
  const count = gpuCount === undefined ? undefined : `x${gpuCount}`;
  // The profile counts only where there is one, so that names stay as they have always been.
  const hashed = [model, gpuModel, count, metric, precision, profileId].filter((part) => part).join("-");
  const words = [hardwareWord(gpuModel, gpuCount), metricWord(metric), precision].flatMap((word) =>
    word ? [objectName(word)] : [],
  );
  const rest = objectName([...words, sha256Hex(hashed).slice(0, 4)].join("-").slice(-56));
  return objectNameBefore(model, `-${rest}`);
}

function hardwareWord(model: string | undefined, count: number | undefined): string | undefined {
  if (model && count !== undefined) return `${count}x-${model}`;
  return model || (count === undefined ? undefined : `x${count}`);
}

const metricWord = (metric: string | undefined): string | undefined =>
  metric === "latency" ? "lat" : metric === "throughput" ? "thr" : metric;
