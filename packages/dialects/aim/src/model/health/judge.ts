import type { ImageFault } from "@trivium/domain";
import { classifyImage, diagnoseImage, formatDiagnosis } from "@trivium/engines";
import { assertNever } from "@trivium/std";
import { catalogPaths } from "../../field-paths.ts";
import type { Model } from "../../objects.ts";
import { makesTemplates } from "../discovery/discovery-request.ts";
import type { Inspection, InspectionFault } from "../lower.ts";
import type { ObservedModel, ObservedTemplate } from "../observe.ts";
import { type ModelOutcome, sumUpTemplates } from "../status/aggregate.ts";
import type { TemplatePlan } from "../templates/template-plan.ts";

/** Where the model stands: first what became of its image, then its templates. */
export function judgeModel(
  model: Model,
  { templates }: ObservedModel,
  { inspection, planned }: { inspection: Inspection; planned: readonly TemplatePlan[] },
): ModelOutcome {
  if (inspection.is === "custom" && inspection.found.is === "missing")
    return faultOutcome(model, "ImageNotFound", inspection.found.why);
  if (inspection.is === "failed") return faultOutcome(model, inspection.fault, inspection.why);
  if (inspection.is === "dark" && inspection.last === undefined) return silenceOutcome(model, inspection.why);
  const expected = templatesToCome(templates, { planned, isUnresolved: inspection.is === "dark" });
  return expected === undefined ? withoutTemplates(model, inspection, planned) : sumUpTemplates(expected);
}

function silenceOutcome({ spec }: Model, why: string | undefined): ModelOutcome {
  if (why === undefined) {
    const message = `Inspecting image ${spec.image}`;
    return { state: "Progressing", reason: "DiscoveryInProgress", message };
  }
  const message = describeImage(spec.image, classifyImage("", why), why);
  return { state: "Degraded", reason: "MetadataExtractionFailed", message };
}

const describeImage = (image: string, fault: ImageFault, message: string): string =>
  formatDiagnosis(diagnoseImage(image, { fault, message }, catalogPaths));

/** The templates as they will be: with those that are still to be made, without those that go. Nothing where there are none yet. */
function templatesToCome(
  templates: readonly ObservedTemplate[],
  { planned, isUnresolved }: { planned: readonly TemplatePlan[]; isUnresolved: boolean },
): readonly ObservedTemplate[] | undefined {
  const wanted = new Set(planned.map(({ name }) => name));
  const stay = templates.filter(
    ({ name, isForeign, isRecommended }) => isUnresolved || isForeign || isRecommended || wanted.has(name),
  );
  if (stay.length === 0) return undefined;
  const there = new Set(stay.map(({ name }) => name));
  const toCome = planned.filter(({ name }) => !there.has(name));
  return [...stay, ...toCome.map(({ name }) => ({ name, state: "Pending", isRecommended: false }))];
}

function faultOutcome({ spec: { image } }: Model, reason: InspectionFault, why: string): ModelOutcome {
  switch (reason) {
    case "ImageNotFound":
      return { state: "Failed", reason, message: describeImage(image, "missing", why) };
    case "ImagePullAuthFailure":
      return { state: "Degraded", reason, message: describeImage(image, "denied", why) };
    case "InvalidImageReference":
    case "SecretNotFound":
      return { state: "Failed", reason, message: why };
    case "MetadataExtractionFailed":
      return {
        state: "Degraded",
        reason,
        message: `The labels of the image cannot be read: ${why}; correct spec.image, or set spec.imageMetadata`,
      };
    default:
      return assertNever(reason);
  }
}

function withoutTemplates(model: Model, inspection: Inspection, planned: readonly TemplatePlan[]): ModelOutcome {
  if (planned.length > 0) {
    const message = `Creating ${planned.length} ${planned.length === 1 ? "template" : "templates"}`;
    return { state: "Progressing", reason: "TemplateCreationPending", message };
  }
  if (inspection.is === "disabled") {
    return { state: "Ready", reason: "DiscoveryDisabled", message: "Discovery is disabled, so no template is created" };
  }
  if (inspection.is === "malformed") {
    const message = `No template is created: ${inspection.why}`;
    return { state: "Ready", reason: "MetadataFormatError", message };
  }
  if (!makesTemplates(model)) {
    const message = "spec.discovery.autoCreateTemplates is false, so no template is created";
    return { state: "Ready", reason: "NoRecommendedTemplates", message };
  }
  const message =
    "The labels of the image recommend no deployment, so no template is created; create an AIMServiceTemplate, or set spec.customTemplates";
  return { state: "Ready", reason: "MetadataMissingRecommendedDeployments", message };
}
