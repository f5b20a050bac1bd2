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
export { gatewayDuration } from "./gateway-duration.ts";
export type * as api from "./generated/api.ts";
export { evaluateJsonPath } from "./json-path/json-path.ts";
export { JsonPathError, parseJsonPath } from "./json-path/json-path-parser.ts";
export { readScalePath, writeScalePath } from "./json-path/scale-path.ts";
export * from "./kind.ts";
export { CustomResourceDefinition } from "./kinds/extension.ts";
export * from "./kinds/index.ts";
export { conflictStatus } from "./merge/apply-conflict.ts";
export { resetFieldsOf } from "./merge/fields/reset-fields.ts";
export { managedFieldsOfScale, mergeScaleManagedFields } from "./merge/fields/scale-fields.ts";
export { lastAppliedAnnotation } from "./merge/last-applied.ts";
export { goText, goType } from "./merge/patch/go-text.ts";
export { applyJsonPatch } from "./merge/patch/json-patch.ts";
export { applyMergePatch } from "./merge/patch/merge-patch.ts";
export { PatchError } from "./merge/patch/patch-error.ts";
export { applyStrategicMergePatch } from "./merge/patch/strategic.ts";
export { type ApplyInput, type ApplyResult, applyServerSide } from "./merge/server-side-apply.ts";
export { trackUpdate } from "./merge/track-update.ts";
export * from "./object.ts";
export * from "./owner.ts";
export * from "./pod-security/index.ts";
export { redact, redacted } from "./redact.ts";
export { type Amounts, addTo, amountOf, amountsOf } from "./resources/amounts.ts";
export { requestsOf } from "./resources/pod-requests.ts";
export { exactValueOf, type FieldSelector, matchesFields, parseFieldSelector } from "./selectors/field-selector.ts";
export {
  formatLabelSelector,
  type LabelOperator,
  type LabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  selectorOf,
} from "./selectors/selector.ts";
export { SelectorError } from "./selectors/selector-error.ts";
export { parseLabelSelector } from "./selectors/selector-parser.ts";
export * from "./transport.ts";
