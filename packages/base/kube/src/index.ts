export { admitObject } from "./admit.ts";
export * from "./built-in.ts";
export type {
  CallOptions,
  JsonPatchOperation,
  KubeClient,
  LogOptions,
  Patch,
  ServedResource,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./client.ts";
export * from "./conditions.ts";
export { defineKind, defineTwin, emitCrd } from "./define.ts";
export { definitions, type RawSchema, wireFacts } from "./definitions.ts";
export * from "./embedded.ts";
export * from "./errors.ts";
export { failedWebhook } from "./failed-webhook.ts";
export { exactValueOf, type FieldSelector, matchesFields, parseFieldSelector } from "./field-selector.ts";
export { gatewayDuration } from "./gateway-duration.ts";
export type * as api from "./generated/api.ts";
export { evaluateJsonPath } from "./json-path.ts";
export { JsonPathError, parseJsonPath } from "./json-path-parser.ts";
export * from "./kind.ts";
export { CustomResourceDefinition } from "./kinds/extension.ts";
export * from "./kinds/index.ts";
export { conflictStatus } from "./merge/apply-conflict.ts";
export { goText, goType } from "./merge/go-text.ts";
export { applyJsonPatch } from "./merge/json-patch.ts";
export { applyMergePatch } from "./merge/merge-patch.ts";
export { PatchError } from "./merge/patch-error.ts";
export { resetFieldsOf } from "./merge/reset-fields.ts";
export { managedFieldsOfScale, mergeScaleManagedFields } from "./merge/scale-fields.ts";
export { type ApplyInput, type ApplyResult, applyServerSide } from "./merge/server-side-apply.ts";
export { applyStrategicMergePatch } from "./merge/strategic.ts";
export { trackUpdate } from "./merge/track-update.ts";
export * from "./object.ts";
export * from "./owner.ts";
export * from "./pod-security/index.ts";
export { readScalePath, writeScalePath } from "./scale-path.ts";
export {
  formatLabelSelector,
  type LabelOperator,
  type LabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  selectorOf,
} from "./selector.ts";
export { SelectorError } from "./selector-error.ts";
export { parseLabelSelector } from "./selector-parser.ts";
export * from "./transport.ts";
