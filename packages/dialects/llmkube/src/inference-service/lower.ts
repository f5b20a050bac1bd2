import type { InferenceService } from "../kinds/inference-service.ts";
import type { Model } from "../kinds/model.ts";
import type { LlmkubeOptions } from "../options.ts";
import { isAllowed } from "../weights/local-root.ts";
import { parseSource } from "../weights/source.ts";
import type { ObservedService } from "./observe.ts";
import { lowerServing } from "./roles/lower-serving.ts";
import { type Blocked, failed, isUnresolved, type LoweredService, unknown } from "./roles/lowered.ts";
import { type DraftRef, draftRefOf } from "./weights/draft-model.ts";

/** The gates that a service passes before anything is planned: its Models, and what the operator allows. */
export function lowerService(
  service: InferenceService,
  observed: ObservedService,
  options: LlmkubeOptions,
): LoweredService {
  const model = readyModel(observed.model, { name: service.spec.modelRef, field: "spec.modelRef" });
  if (model.is !== "ready") return model;
  const draftRef = draftRefOf(service);
  const draft =
    draftRef !== undefined && observed.draft !== undefined ? readyModel(observed.draft, draftRef) : undefined;
  if (draft !== undefined && draft.is !== "ready") return draft;
  if (isUnresolved(observed.deployment) || isUnresolved(observed.priority)) return unknown;
  if (model.model.spec.hardware?.accelerator === "metal") return { is: "metal" };
  const forbidden = [model.model, ...(draft === undefined ? [] : [draft.model])].find(
    ({ spec }) => !isAllowed(parseSource(spec.source), options.localRoots),
  );
  if (forbidden !== undefined) {
    const why = `the source of Model ${forbidden.metadata.name} is not in a directory that the operator allows`;
    return failed("InvalidSpec", why);
  }
  return lowerServing({ service, model: model.model, draft: draft?.model, observed, options });
}

/** What only pods can find out, or mend: they fetch, and a service may have a token that the operator lacks. */
const leftToPods = ["SourceNotFound", "SourceUnauthorized", "IntegrityCheckFailed", "DownloadFailed"];

function isLeftToPods({ spec, status }: Model): boolean {
  if (status?.phase === "Downloading") return true;
  if (parseSource(spec.source).is === "local") return false;
  return status?.conditions?.some(({ type, reason }) => type === "Available" && leftToPods.includes(reason)) === true;
}

type ReadyModel = { readonly is: "ready"; readonly model: Model } | Blocked | typeof unknown;

function readyModel(fact: ObservedService["model"], { name, field }: DraftRef): ReadyModel {
  if (fact.is !== "known" && fact.is !== "absent") return unknown;
  if (fact.is === "absent") {
    return failed("ModelNotFound", `Model ${name} not found in this namespace; create it, or change ${field}`, false);
  }
  const { metadata, status } = fact.value;
  const available = status?.conditions?.find(({ type }) => type === "Available");
  // What is said of an older spec would start pods for it that the next word ends.
  if (available?.observedGeneration !== undefined && available.observedGeneration !== metadata.generation)
    return unknown;
  if (status?.phase === "Ready" || isLeftToPods(fact.value)) return { is: "ready", model: fact.value };
  const why = available?.message;
  const message = `Model ${name} is ${status?.phase ?? "new"}${why ? `: ${why}` : ""}`;
  // What only a correction of the Model mends is not on its way.
  const reason = status?.phase === "Failed" ? "ModelFailed" : "Pending";
  return { is: "blocked", phase: "Pending", reason, message, isModelReady: false };
}
