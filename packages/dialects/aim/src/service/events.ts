import type { Note } from "@trivium/reconcile";
import { parseImageReference } from "@trivium/std";
import { configNotes } from "../conditions.ts";
import { statusGuide } from "../status-guide.ts";
import { missingSecrets } from "./health/judge.ts";
import type { Outcome } from "./health/outcome.ts";
import type { ServiceReport } from "./health/service-report.ts";
import type { Service } from "./names/names.ts";
import type { ServiceParts } from "./roles/service-parts.ts";
import { ignoredAnnotations } from "./status/conditions.ts";
import { runsOnOwnVolume } from "./weights/cache-plan.ts";
import { cachingConflict, cachingTooLate } from "./weights/caching-mode.ts";

/** What is recorded as Events, each once. */
export function eventsOf(report: ServiceReport, outcome: Outcome): Note[] {
  const { service, observed, parts } = report;
  const { reason, message } = outcome;
  const { config } = parts;
  const late = runsOnOwnVolume(observed) ? cachingTooLate(service) : undefined;
  return [
    { type: isFault(outcome) ? "Warning" : "Normal", reason, message },
    ...warning("CachingModeConflict", cachingConflict(service)),
    ...warning("CachingModeConflict", late),
    ...(config.is === "resolved" && config.reference === undefined ? configNotes(config) : []),
    ...warning("UntaggedImage", untagged(service)),
    ...ignoredAnnotations(parts).flatMap((fault) => warning("InvalidAnnotation", fault)),
    ...warning("CanaryUnsupported", parts.canaryFault),
    ...eventsOfScaling(report),
    ...eventsOfSecrets(parts, outcome),
  ];
}

/** Also while the service is still starting, or waits for what does not exist: it stays so without an action. */
const isFault = ({ status, reason }: Outcome): boolean =>
  status === "Failed" || status === "Degraded" || actions.includes(reason);

const actions = statusGuide.meanings.action;

const warning = (reason: string, message: string | undefined): Note[] =>
  message === undefined ? [] : [{ type: "Warning", reason, message }];

function untagged({ spec }: Service): string | undefined {
  const { image } = spec.model ?? {};
  const parsed = image === undefined ? undefined : parseImageReference(image);
  if (parsed === undefined || parsed.tag !== undefined || parsed.digest !== undefined) return undefined;
  return `spec.model.image ${image} has no tag, so latest is used; set a tag so that the image does not change unexpectedly`;
}

/** Only what does not pass without a change is worth a warning. */
const lasting: readonly string[] = ["AutoscalingUnavailable", "MetricsFailed"];

function eventsOfScaling({ parts, scaling }: ServiceReport): Note[] {
  const failed = scaling !== undefined && lasting.includes(scaling.reason) ? scaling : undefined;
  return [
    ...warning("AutoscalingFieldIgnored", parts.scaling?.ignored),
    ...(failed === undefined ? [] : warning(failed.reason, failed.message)),
  ];
}

function eventsOfSecrets(parts: ServiceParts, outcome: Outcome): Note[] {
  const reason = "SecretNotInNamespace";
  const images = parts.secrets?.forImages ?? [];
  const [secrets, them] = images.length > 1 ? ["Secrets", "them"] : ["Secret", "it"];
  const pulling = `Image pull ${secrets} ${images.join(", ")} not found in this namespace; create ${them} if the image is private`;
  return [
    ...warning(reason, outcome.reason === reason ? undefined : missingSecrets(parts)),
    ...warning(reason, images.length === 0 ? undefined : pulling),
  ];
}
