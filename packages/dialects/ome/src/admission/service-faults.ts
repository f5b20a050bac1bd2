import { type FieldError, forbidden, invalid, notSupported, required } from "@trivium/schema";
import { isImageTag } from "../inference-service/pod/runtime-version.ts";
import { type ComponentSpec, componentNames } from "../inference-service/roles/component.ts";
import { withoutPredictor } from "../inference-service/roles/predictor.ts";
import { faultsOfReferences } from "../inference-service/selection/references.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { faultsOfAnnotations, faultsOfKeda } from "./autoscaling-faults.ts";

/** What is wrong with a service by itself, whatever else there is. */
export function faultsOfService(written: InferenceService): FieldError[] {
  const service = withoutPredictor(written);
  const { metadata, spec } = service;
  return [
    ...faultsOfName(metadata.name ?? ""),
    ...faultsOfAnnotations(metadata.annotations, "metadata.annotations"),
    ...faultsOfKeda(spec.kedaConfig, "spec.kedaConfig"),
    ...[...componentNames, "predictor" as const].flatMap((name) => [
      ...faultsOfAnnotations(written.spec[name]?.annotations, `spec.${name}.annotations`),
      ...faultsOfKeda(written.spec[name]?.kedaConfig, `spec.${name}.kedaConfig`),
    ]),
    ...faultsOfReferences(service).map(({ field, value, allowed }) => notSupported(field, value, allowed)),
    ...faultsOfTag(written),
    ...faultsOfTimeouts(written),
    ...faultsOfShape(service),
  ];
}

function faultsOfTag({ spec }: InferenceService): FieldError[] {
  const tag = spec.predictor?.model?.runtimeVersion;
  if (!tag || isImageTag(tag)) return [];
  return [invalid("spec.predictor.model.runtimeVersion", tag, "must be a valid image tag")];
}

function faultsOfTimeouts({ spec }: InferenceService): FieldError[] {
  return [...componentNames, "predictor" as const].flatMap((name) => {
    const seconds = spec[name]?.timeoutSeconds ?? 0;
    return seconds >= 0 ? [] : [invalid(`spec.${name}.timeoutSeconds`, seconds, "must not be negative")];
  });
}

/** Components append to the name, so it must leave them room. */
const longestName = 253 - "-decoder".length;

function faultsOfName(name: string): FieldError[] {
  if (name === "") return [];
  if (!/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(name)) {
    const detail =
      "must start with a lower case letter, consist of lower case letters, digits and hyphens, and end with a letter or digit";
    return [invalid("metadata.name", name, detail)];
  }
  return name.length <= longestName
    ? []
    : [invalid("metadata.name", name, `must have at most ${longestName} characters`)];
}

function faultsOfShape({ spec }: InferenceService): FieldError[] {
  const { engine, decoder, model, runtime } = spec;
  if (decoder !== undefined && engine === undefined)
    return [forbidden("spec.decoder", "a decoder requires an engine; set spec.engine")];
  const isSelfMade = engine === undefined || hasOwnImages(engine);
  if (isSelfMade || runtime?.name || model?.name) return [];
  return [required("spec.model.name", "a model is required if the engine has neither a runtime nor its own images")];
}

/** Whether the service brings everything that runs; of a group both parts. */
function hasOwnImages({ runner, leader, worker }: ComponentSpec): boolean {
  if (runner?.image) return true;
  return !!leader?.runner?.image && !!worker?.runner?.image;
}
