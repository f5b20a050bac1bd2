export { classifyCrash } from "./diagnosis/classify-crash.ts";
export { classifyImage } from "./diagnosis/classify-image.ts";
export { classifyTransfer, type TransferFault } from "./diagnosis/classify-transfer.ts";
export { noNodeProvides } from "./diagnosis/describe-unschedulable.ts";
export { type DiagnosisContext, diagnose, diagnoseClaim } from "./diagnosis/diagnose.ts";
export { diagnoseController } from "./diagnosis/diagnose-controller.ts";
export { diagnoseMissing, diagnoseMissingFile } from "./diagnosis/diagnose-missing.ts";
export {
  diagnoseRoute,
  type RouteOutcome,
  type RouteParentReport,
  readRouteParents,
} from "./diagnosis/diagnose-route.ts";
export { diagnoseTransfer } from "./diagnosis/diagnose-transfer.ts";
export { formatDiagnosis } from "./diagnosis/format-diagnosis.ts";
export { diagnoseImage } from "./diagnosis/image-remedy.ts";
export { findFailure, untilFailure } from "./find-failure.ts";
export { countAsRendered, observeTemplate } from "./kept-pods.ts";
export { lastErrorReason, lastLogLine } from "./last-log-line.ts";
export { observePod, podReads } from "./pods/observe-pod.ts";
export { observeRefusedPods, refusedPods } from "./pods/refused-pods.ts";
export { type RefusedChild, splitRefusals } from "./pods/split-refusals.ts";
export { summarizePod } from "./pods/summarize-pod.ts";
export { describeReplicas, standInRemark } from "./report-health.ts";
export { sanitizeOutput } from "./sanitize-output.ts";
