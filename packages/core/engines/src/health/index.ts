export { type CrashCause, classifyCrash } from "./classify-crash.ts";
export { classifyImage, type ImageFault } from "./classify-image.ts";
export { classifyTransfer, type TransferFault } from "./classify-transfer.ts";
export { describeUnschedulable } from "./describe-unschedulable.ts";
export { type DiagnosisContext, diagnose, diagnoseClaim } from "./diagnose.ts";
export {
  type ControllerReport,
  diagnoseController,
  diagnoseMissingApi,
  type UpstreamController,
} from "./diagnose-controller.ts";
export { diagnoseMissing, type MissingObjects } from "./diagnose-missing.ts";
export { diagnoseRefusal } from "./diagnose-refusal.ts";
export { diagnoseRoute, type ObservedRoute, type RouteOutcome, type RouteParentReport } from "./diagnose-route.ts";
export { diagnoseTransfer, type TransferContext } from "./diagnose-transfer.ts";
export { findFailure, untilFailure } from "./find-failure.ts";
export { formatDiagnosis } from "./format-diagnosis.ts";
export { lastErrorReason, lastLogLine } from "./last-log-line.ts";
export { observePod, podReads } from "./observe-pod.ts";
export { observeRefusedPods, refusedPods } from "./refused-pods.ts";
export { reportHealth } from "./report-health.ts";
export { sanitizeOutput } from "./sanitize-output.ts";
export { type RefusedChild, splitRefusals } from "./split-refusals.ts";
export { summarizePod } from "./summarize-pod.ts";
