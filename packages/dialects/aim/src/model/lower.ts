import type { ImageReport, RegistryRefusal } from "@trivium/domain";
import { hasUnresolved } from "@trivium/reconcile";
import { type Fact, parseImageReference } from "@trivium/std";
import { type ImageMetadata, parseImageLabels } from "../images/image-metadata.ts";
import type { Model, ModelStatus } from "../objects.ts";
import type { Settings } from "../runtime-config/settings/merge-settings.ts";
import { type ResolvedConfig, resolveRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import { isCustomModel, isDiscoveryEnabled, makesTemplates } from "./discovery/discovery-request.ts";
import type { ObservedModel } from "./observe.ts";
import { planCustomTemplates } from "./templates/custom-templates.ts";
import { planRecommendedTemplates, type TemplatePlan, withoutExisting } from "./templates/template-plan.ts";

/** What is known of the image, and how it came about. */
export type Inspection =
  | { readonly is: "read"; readonly metadata: ImageMetadata; readonly image?: ModelStatus["inspectedImage"] }
  | {
      readonly is: "malformed";
      readonly metadata: ImageMetadata;
      readonly why: string;
      readonly image?: ModelStatus["inspectedImage"];
    }
  | { readonly is: "failed"; readonly fault: InspectionFault; readonly why: string }
  /** The registry does not answer, or has not yet. */
  | { readonly is: "dark"; readonly why: string | undefined; readonly last: ImageMetadata | undefined }
  | { readonly is: "disabled" }
  | { readonly is: "custom"; readonly found: ImageFound };

/** Whether the image of a custom model is there. Only a registry that says no counts against it. */
export type ImageFound =
  | { readonly is: "unasked" }
  | { readonly is: "there"; readonly image: NonNullable<ModelStatus["inspectedImage"]> }
  | { readonly is: "missing"; readonly why: string }
  | { readonly is: "unclear"; readonly reason: "ImagePullAuthFailure" | "ImageUnchecked"; readonly why: string };

export type InspectionFault =
  | "ImageNotFound"
  | "ImagePullAuthFailure"
  | "MetadataExtractionFailed"
  | "InvalidImageReference"
  | "SecretNotFound";

export type ModelIntent =
  /** A fact is missing; what was said before stands. */
  | { readonly is: "unknown" }
  | { readonly is: "shadowed" }
  | { readonly is: "unconfigured"; readonly message: string }
  | {
      readonly is: "planned";
      readonly config: Extract<ResolvedConfig, { is: "resolved" }>;
      readonly inspection: Inspection;
      readonly templates: readonly TemplatePlan[];
    };

export function lowerModel(model: Model, observed: ObservedModel): ModelIntent {
  const config = resolveRuntimeConfig(observed.config);
  const { namesake } = observed;
  if (namesake?.is === "known") return { is: "shadowed" };
  if (config.is === "unknown" || hasUnresolved(observed)) return { is: "unknown" };
  if (config.is === "missing") return { is: "unconfigured", message: config.message };
  const inspection = inspect(model, observed, config.settings);
  if (inspection.is === "dark" && inspection.why === undefined && wasRefused(model)) return { is: "unknown" };
  return { is: "planned", config, inspection, templates: planTemplates(model, inspection, observed) };
}

const ofRegistries: readonly string[] = ["ImageNotFound", "ImagePullAuthFailure", "MetadataExtractionFailed"];

/** What a registry said of this very spec, or that it said nothing, stands until it is heard again. */
function wasRefused({ metadata, status }: Model): boolean {
  const reported = status?.conditions?.find(({ type }) => type === "MetadataExtracted");
  const isSame = reported !== undefined && reported.observedGeneration === metadata.generation;
  return isSame && reported.status === "False" && ofRegistries.includes(reported.reason);
}

function inspect(model: Model, { secrets, image }: ObservedModel, settings: Settings): Inspection {
  const { spec } = model;
  if (parseImageReference(spec.image) === undefined) {
    const why = `spec.image ${JSON.stringify(spec.image.slice(0, 200))} is not a valid image reference (expected e.g. ghcr.io/org/name:tag); correct it`;
    return { is: "failed", fault: "InvalidImageReference", why };
  }
  if (isCustomModel(model)) return { is: "custom", found: findImage(model, image?.tolerated) };
  if (spec.imageMetadata !== undefined) return { is: "read", metadata: spec.imageMetadata };
  if (!isDiscoveryEnabled(model, settings)) return { is: "disabled" };
  const missing = secrets.flatMap(({ is, name }) => (is === "missing" ? [name] : [])).sort();
  if (missing.length > 0) {
    const why = `Secret ${missing.join(", ")} not found; create it, or remove it from spec.imagePullSecrets`;
    return { is: "failed", fault: "SecretNotFound", why };
  }
  return read(model, image?.tolerated);
}

function findImage(model: Model, fact: Fact<ImageReport | RegistryRefusal> | undefined): ImageFound {
  if (fact?.is !== "known") {
    const before = foundBefore(model);
    const isSilent = fact?.is === "unreachable" && (before === undefined || before.is === "unclear");
    return isSilent ? { is: "unclear", reason: "ImageUnchecked", why: fact.why } : (before ?? { is: "unasked" });
  }
  const report = fact.value;
  if (report.is === "image") return { is: "there", image: imageOf(model, report) };
  const { reason, why } = report;
  if (reason === "not-found" || reason === "other-platform") return { is: "missing", why };
  return { is: "unclear", reason: reason === "unauthorized" ? "ImagePullAuthFailure" : "ImageUnchecked", why };
}

/** What was said of this very spec stands while nobody answers. */
function foundBefore({ metadata, spec, status }: Model): ImageFound | undefined {
  const reported = status?.conditions?.find(({ type }) => type === "ImageFound");
  if (reported === undefined || reported.observedGeneration !== metadata.generation) return undefined;
  const image = status?.inspectedImage;
  if (reported.status === "True") return image?.reference === spec.image ? { is: "there", image } : undefined;
  if (reported.status === "False") return { is: "missing", why: reported.message };
  const isRefused = reported.reason === "ImagePullAuthFailure";
  return { is: "unclear", reason: isRefused ? "ImagePullAuthFailure" : "ImageUnchecked", why: reported.message };
}

const imageOf = ({ spec }: Model, { digest, platform }: ImageReport) => ({ reference: spec.image, digest, platform });

function read(model: Model, fact: Fact<ImageReport | RegistryRefusal> | undefined): Inspection {
  if (fact?.is !== "known") {
    const why = fact?.is === "unreachable" ? fact.why : undefined;
    return { is: "dark", why, last: rememberedMetadata(model) };
  }
  const report = fact.value;
  if (report.is === "refused") return { is: "failed", fault: faultOf(report), why: report.why };
  const parsed = parseImageLabels(report.labels);
  return { ...parsed, image: imageOf(model, report) };
}

/** What is known from before of the same image. */
function rememberedMetadata({ spec, status }: Model): ImageMetadata | undefined {
  return status?.inspectedImage?.reference === spec.image ? (status.imageMetadata ?? {}) : undefined;
}

function faultOf({ reason }: RegistryRefusal): InspectionFault {
  if (reason === "not-found" || reason === "other-platform") return "ImageNotFound";
  return reason === "unauthorized" ? "ImagePullAuthFailure" : "MetadataExtractionFailed";
}

function planTemplates(model: Model, inspection: Inspection, observed: ObservedModel): TemplatePlan[] {
  if (inspection.is === "failed" && inspection.fault === "InvalidImageReference") return [];
  const stated = planCustomTemplates(model);
  const isReadable = inspection.is === "read" || inspection.is === "malformed";
  if (!isReadable || !makesTemplates(model)) return stated;
  const recommended = inspection.metadata.model?.recommendedDeployments ?? [];
  return [...stated, ...withoutExisting(planRecommendedTemplates(model, recommended), observed.templates)];
}
