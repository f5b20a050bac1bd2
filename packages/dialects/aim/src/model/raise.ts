import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import { condition, conditionsFor, configCondition, generationOf } from "../conditions.ts";
import type { Model, ModelStatus } from "../objects.ts";
import { isCustomModel, makesTemplates } from "./discovery/discovery-request.ts";
import { eventsOf, warningsOf } from "./events.ts";
import { judgeModel } from "./health/judge.ts";
import type { Inspection, ModelIntent } from "./lower.ts";
import type { ObservedModel } from "./observe.ts";
import type { ModelOutcome } from "./status/aggregate.ts";

interface RaisedModel {
  readonly status: ModelStatus;
  readonly notes: readonly Note[];
}

type Planned = Extract<ModelIntent, { is: "planned" }>;

/** The whole status of a model, and what is told about it. */
export function raiseModel(model: Model, intent: ModelIntent, observed: ObservedModel): RaisedModel {
  switch (intent.is) {
    case "unknown":
      return { status: model.status ?? { ...generationOf(model), status: "Pending" }, notes: [] };
    case "shadowed":
      return raiseShadowed(model);
    case "unconfigured":
      return raiseUnconfigured(model, intent.message);
    case "planned":
      return raisePlanned(model, intent, observed);
  }
}

const sourceType = (model: Model): Pick<ModelStatus, "sourceType"> => ({
  sourceType: isCustomModel(model) ? "Custom" : "Image",
});

function raiseShadowed(model: Model): RaisedModel {
  const message = `A model of the newer kind is also named ${model.metadata.name} and is used instead; delete one of the two`;
  const outcome: ModelOutcome = { state: "NotAvailable", reason: "Shadowed", message };
  const conditions = [condition("Shadowed", "True", { reason: "SameNameModel", message }), ...standing(outcome)];
  const status: ModelStatus = {
    ...generationOf(model),
    status: outcome.state,
    ...sourceType(model),
    conditions: conditionsFor(model, conditions),
  };
  return { status, notes: warningsOf({ reason: outcome.reason, message }) };
}

/** What was found out before stays: only the config is missing. */
function raiseUnconfigured(model: Model, message: string): RaisedModel {
  const outcome: ModelOutcome = { state: "Degraded", reason: "RuntimeConfigMissing", message };
  const { imageMetadata, inspectedImage } = model.status ?? {};
  const status: ModelStatus = {
    ...generationOf(model),
    status: outcome.state,
    ...sourceType(model),
    ...(imageMetadata === undefined ? {} : { imageMetadata }),
    ...(inspectedImage === undefined ? {} : { inspectedImage }),
    conditions: conditionsFor(model, [configCondition({ is: "missing", message }), ...standing(outcome)]),
  };
  return { status, notes: warningsOf({ reason: outcome.reason, message }) };
}

function raisePlanned(model: Model, { config, inspection, templates }: Planned, observed: ObservedModel): RaisedModel {
  const outcome = judgeModel(model, observed, { inspection, planned: templates });
  const metadata = metadataCondition(model, inspection);
  const conditions = [
    configCondition(config),
    ...metadata,
    ...existenceCondition(model, inspection),
    ...generationCondition(model, inspection, observed),
    ...(observed.namesake === undefined ? [] : [notShadowed]),
    ...standing(outcome),
  ];
  const status: ModelStatus = {
    ...generationOf(model),
    status: outcome.state,
    ...sourceType(model),
    ...(config.reference === undefined ? {} : { resolvedRuntimeConfig: config.reference }),
    ...known(model, inspection),
    conditions: conditionsFor(model, conditions),
  };
  return { status, notes: eventsOf(model, { outcome, inspection, metadata }) };
}

const notShadowed = condition("Shadowed", "False", {
  reason: "NotShadowed",
  message: "No model of the newer kind has this name",
});

/** While the registry is silent, what it said before of the same image stays. */
function known(model: Model, inspection: Inspection): Pick<ModelStatus, "imageMetadata" | "inspectedImage"> {
  if (inspection.is === "read" || inspection.is === "malformed") {
    const { metadata, image } = inspection;
    return { imageMetadata: metadata, ...(image === undefined ? {} : { inspectedImage: image }) };
  }
  const { imageMetadata, inspectedImage } = model.status ?? {};
  const isSame = inspectedImage?.reference === model.spec.image;
  if (inspection.is === "custom" && inspection.found.is === "there") return { inspectedImage: inspection.found.image };
  if (!isSame) return {};
  if (inspection.is === "custom") return { inspectedImage };
  return { ...(imageMetadata === undefined ? {} : { imageMetadata }), inspectedImage };
}

function standing(outcome: ModelOutcome): DecidedCondition[] {
  const { state } = outcome;
  const isMoving = state === "Progressing" || state === "Pending";
  const isBad = state === "Failed" || state === "Degraded";
  return [
    condition("Ready", state === "Ready" ? "True" : "False", outcome),
    condition("Progressing", isMoving ? "True" : "False", outcome),
    condition("Failure", isBad ? "True" : "False", outcome),
    // The word of this API for models, before all kinds had Failure.
    condition("Degraded", isBad ? "True" : "False", outcome),
  ];
}

function metadataCondition(model: Model, inspection: Inspection): DecidedCondition[] {
  const type = "MetadataExtracted";
  const { image } = model.spec;
  switch (inspection.is) {
    case "read": {
      const count = inspection.metadata.model?.recommendedDeployments?.length ?? 0;
      if (count === 0) {
        const message = `The labels of ${image} recommend no deployment`;
        return [condition(type, "False", { reason: "MetadataMissingRecommendedDeployments", message })];
      }
      const message = `The labels of ${image} recommend ${count === 1 ? "1 deployment" : `${count} deployments`}`;
      return [condition(type, "True", { reason: "MetadataExtracted", message })];
    }
    case "malformed":
      return [condition(type, "False", { reason: "MetadataFormatError", message: `${image}: ${inspection.why}` })];
    case "failed":
      return [condition(type, "False", { reason: inspection.fault, message: inspection.why })];
    case "dark":
      return unresolvedCondition(model, inspection);
    case "disabled":
    case "custom":
      return [];
  }
}

/** A custom model is served with an image that others made: is it there? A registry that is silent leaves that open. */
function existenceCondition({ spec }: Model, inspection: Inspection): DecidedCondition[] {
  if (inspection.is !== "custom" || inspection.found.is === "unasked") return [];
  const type = "ImageFound";
  const { found } = inspection;
  if (found.is === "there") return [condition(type, "True", { reason: type, message: `Image ${spec.image} exists` })];
  if (found.is === "missing") return [condition(type, "False", { reason: "ImageNotFound", message: found.why })];
  return [condition(type, "Unknown", { reason: found.reason, message: found.why })];
}

/** A silence takes nothing back that was said of the same image. */
function unresolvedCondition(model: Model, { why, last }: Extract<Inspection, { is: "dark" }>): DecidedCondition[] {
  const before = model.status?.conditions?.find(({ type }) => type === "MetadataExtracted");
  if (last !== undefined && before !== undefined) {
    const { lastTransitionTime: _, observedGeneration: __, ...reported } = before;
    return [{ ...reported, status: reported.status as "True" | "False" }];
  }
  if (why === undefined) return [];
  return [condition("MetadataExtracted", "False", { reason: "MetadataExtractionFailed", message: why })];
}

function generationCondition(model: Model, inspection: Inspection, { templates }: ObservedModel): DecidedCondition[] {
  const type = "TemplatesAutoGenerated";
  const say = (status: "True" | "False", reason: string, message: string) => [
    condition(type, status, { reason, message }),
  ];
  if (inspection.is === "custom") return [];
  const made = templates.filter(({ isRecommended }) => isRecommended).length;
  if (made > 0) return say("True", "AutoTemplatesPresent", `Templates created from recommended deployments: ${made}`);
  if (inspection.is === "disabled" || !makesTemplates(model))
    return say("False", "DiscoveryDisabled", "Creating templates from recommended deployments is disabled");
  if (inspection.is === "dark" || inspection.is === "failed")
    return say("False", "AutoTemplateCreationPending", "Waiting for the labels of the image");
  if (inspection.is === "malformed")
    return say("False", "MetadataFormatError", `Recommended deployments cannot be read: ${inspection.why}`);
  const count = inspection.metadata.model?.recommendedDeployments?.length ?? 0;
  if (count > 0)
    return say("True", "RecommendedDeploymentsApplied", `Creating templates for recommended deployments: ${count}`);
  return say("False", "MetadataMissingRecommendedDeployments", "The labels of the image recommend no deployment");
}
