import type { ModelStatus } from "../objects.ts";
import { parseDeployments } from "./recommended-deployments.ts";

export type ImageMetadata = NonNullable<ModelStatus["imageMetadata"]>;
type ModelWords = NonNullable<ImageMetadata["model"]>;
type Labels = Readonly<Record<string, string>>;

type ParsedLabels =
  | { readonly is: "read"; readonly metadata: ImageMetadata }
  /** A label is there and cannot be read. */
  | { readonly is: "malformed"; readonly metadata: ImageMetadata; readonly why: string };

/** Both have been used over the years; the first that has a label wins. */
const prefixes = ["com.amd.aim.", "org.amd.silogen."];

/** What the labels of an image say. */
export function parseImageLabels(labels: Labels): ParsedLabels {
  const find = (...suffixes: readonly string[]): string | undefined =>
    suffixes
      .flatMap((suffix) => prefixes.map((prefix) => labels[prefix + suffix]))
      .find((value) => value !== undefined && value.trim() !== "");
  const deployments = find("model.recommendedDeployments", "model.deployments");
  const parsed = deployments === undefined ? [] : parseDeployments(deployments);
  const model: ModelWords = {
    ...text("canonicalName", find("model.canonicalName")),
    ...text("source", find("model.source")),
    ...words("tags", find("model.tags")),
    ...words("versions", find("model.versions")),
    ...words("variants", find("model.variants")),
    ...flag(find("hfToken.required")),
    ...text("title", find("title")),
    ...text("descriptionFull", find("description.full")),
    ...text("releaseNotes", find("release.notes")),
    ...(parsed === undefined || parsed.length === 0 ? {} : { recommendedDeployments: parsed }),
  };
  const oci = standardLabels(labels);
  const metadata: ImageMetadata = {
    ...(Object.keys(model).length === 0 ? {} : { model }),
    ...(Object.keys(oci).length === 0 ? {} : { oci }),
    ...(Object.keys(labels).length === 0 ? {} : { originalLabels: { ...labels } }),
  };
  if (parsed !== undefined) return { is: "read", metadata };
  const why = `label model.recommendedDeployments is not a JSON list of objects (it starts with ${JSON.stringify(deployments?.slice(0, 60))})`;
  return { is: "malformed", metadata, why };
}

const standard = [
  "title",
  "description",
  "licenses",
  "vendor",
  "authors",
  "source",
  "documentation",
  "created",
  "revision",
  "version",
] as const;

function standardLabels(labels: Labels): NonNullable<ImageMetadata["oci"]> {
  const pairs = standard.map((name) => [name, labels[`org.opencontainers.image.${name}`]] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined && value !== ""));
}

const text = <K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> =>
  value === undefined ? {} : ({ [key]: value } as Record<K, string>);

function words<K extends string>(key: K, value: string | undefined): Partial<Record<K, string[]>> {
  const list = (value ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  return list.length === 0 ? {} : ({ [key]: list } as Record<K, string[]>);
}

/** What is neither yes nor no says nothing. */
function flag(value: string | undefined): { hfTokenRequired?: boolean } {
  const word = value?.trim().toLowerCase() ?? "";
  if (["true", "1", "t"].includes(word)) return { hfTokenRequired: true };
  return ["false", "0", "f"].includes(word) ? { hfTokenRequired: false } : {};
}
