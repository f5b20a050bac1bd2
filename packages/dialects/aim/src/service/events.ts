import type { Note } from "@trivium/reconcile";
import { configNotes } from "../conditions.ts";
import { resolveRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import { missingSecrets } from "./health/judge.ts";
import type { Lowered } from "./lower.ts";
import type { ObservedService } from "./observed/observed-service.ts";
import { judgeScaling } from "./scaling/judge-scaling.ts";
import type { Outcome } from "./selection/choose.ts";
import type { Reported } from "./status/conditions.ts";
import { runsOnOwnVolume } from "./weights/cache-plan.ts";
import { cachingConflict, cachingTooLate } from "./weights/caching-mode.ts";

/** What is worth telling a person once. */
export function notesOf(lowered: Lowered, { service, outcome, observed }: Reported): Note[] {
  const { status, reason, message } = outcome;
  const type = status === "Failed" || status === "Degraded" ? "Warning" : "Normal";
  const notes: Note[] = [{ type, reason, message }];
  const conflict = cachingConflict(service);
  if (conflict !== undefined) notes.push({ type: "Warning", reason: "CachingModeConflict", message: conflict });
  const late = runsOnOwnVolume(observed) ? cachingTooLate(service) : undefined;
  if (late !== undefined) notes.push({ type: "Warning", reason: "CachingModeConflict", message: late });
  const config = resolveRuntimeConfig(observed.config);
  if (config.is === "resolved" && config.reference === undefined) notes.push(...configNotes(config));
  const { image } = service.spec.model ?? {};
  if (image !== undefined && !/[:@][^/]*$/.test(image)) {
    const what = `spec.model.image ${image} has no tag, so latest is used; set a tag so that the image does not change unexpectedly`;
    notes.push({ type: "Warning", reason: "UntaggedImage", message: what });
  }
  return [...notes, ...notesOfScaling(lowered, observed), ...notesOfSecrets(lowered, outcome)];
}

/** Only what does not pass by itself is worth a warning. */
const lasting: readonly string[] = ["AutoscalingUnavailable", "MetricsFailed"];

function notesOfScaling({ scaling }: Lowered, observed: ObservedService): Note[] {
  const ignored = scaling?.is === "kubernetes" ? scaling.ignored : undefined;
  const notes: Note[] =
    ignored === undefined ? [] : [{ type: "Warning", reason: "AutoscalingFieldIgnored", message: ignored }];
  const word = judgeScaling(scaling, observed.scaling);
  if (word === undefined || !lasting.includes(word.reason)) return notes;
  return [...notes, { type: "Warning", reason: word.reason, message: word.message }];
}

function notesOfSecrets(lowered: Lowered, outcome: Outcome): Note[] {
  const reason = "SecretNotInNamespace";
  const needed = outcome.reason === reason ? undefined : missingSecrets(lowered);
  const images = lowered.secrets?.forImages ?? [];
  const [secrets, them] = images.length > 1 ? ["Secrets", "them"] : ["Secret", "it"];
  const pulling = `Image pull ${secrets} ${images.join(", ")} not found in this namespace; create ${them} if the image is private`;
  return [needed, images.length === 0 ? undefined : pulling].flatMap((message) =>
    message === undefined ? [] : [{ type: "Warning", reason, message }],
  );
}
