import type { Note } from "@trivium/reconcile";
import { condition, conditionsFor, generationOf, noFailure } from "../conditions.ts";
import { modelIdOf } from "../service/weights/sources.ts";
import type { Terms } from "../terms.ts";
import { eventsOf } from "./events.ts";
import type { LoweredTemplateCache } from "./lower.ts";
import { type TemplateCache, type TemplateCacheStatus, templateNameOf } from "./names/names.ts";
import { isReady, type ObservedTemplateCache } from "./observe.ts";
import type { MatchedSource } from "./weights/match-sources.ts";

type State = NonNullable<TemplateCacheStatus["status"]>;
interface Outcome {
  readonly state: State;
  readonly reason: string;
  readonly message: string;
}

/** The worst of its model caches is how it is. */
export function raiseTemplateCache(
  cache: TemplateCache,
  { matched, reference }: LoweredTemplateCache,
  { template }: ObservedTemplateCache,
  terms: Terms,
): { status: TemplateCacheStatus; notes: readonly Note[] } {
  const { state, reason, message } = judge(cache, template, matched, terms);
  const word = { reason, message };
  const isFound = template.is === "known";
  const held = matched.flatMap(({ source, found }) =>
    found === undefined
      ? []
      : [
          [
            found.name,
            {
              uid: found.uid,
              name: found.name,
              model: modelIdOf(source),
              status: found.status?.status ?? "Pending",
              ...(found.status?.persistentVolumeClaim === undefined
                ? {}
                : { persistentVolumeClaim: found.status.persistentVolumeClaim }),
            },
          ] as const,
        ],
  );
  const status: TemplateCacheStatus = {
    ...generationOf(cache),
    status: state,
    ...(reference === undefined ? {} : { resolvedRuntimeConfig: reference }),
    ...(isFound ? { resolvedTemplateKind: template.value.kind } : {}),
    ...(held.length === 0 ? {} : { modelCaches: Object.fromEntries(held) }),
    conditions: conditionsFor(cache, [
      isFound
        ? condition("Resolved", "True", {
            reason: "Resolved",
            message: `Found ${template.value.kind} ${templateNameOf(cache)}`,
          })
        : condition("Resolved", "False", { reason: "TemplateNotFound", message }),
      condition(
        "TemplateNotFound",
        isFound ? "False" : "True",
        isFound ? { reason: "Resolved", message: "The template exists" } : word,
      ),
      condition("CacheWarm", state === "Available" ? "True" : "False", word),
      condition("Ready", state === "Available" ? "True" : "False", word),
      condition("Progressing", state === "Pending" || state === "Progressing" ? "True" : "False", word),
      state === "Failed"
        ? condition("Failure", "True", word)
        : noFailure("NoFailure", { isReady: state === "Available", message }),
    ]),
  };
  return { status, notes: eventsOf(state, message) };
}

function judge(
  cache: TemplateCache,
  template: ObservedTemplateCache["template"],
  matched: readonly MatchedSource[],
  terms: Terms,
): Outcome {
  const name = templateNameOf(cache);
  if (template.is !== "known") {
    const message = `Template ${name} not found; waiting for it to be created`;
    return { state: "Pending", reason: "AwaitingTemplate", message };
  }
  const { state, why } = template.value;
  // Weights do not go because a GPU did, or because the image is asked anew.
  const isFull = matched.length > 0 && matched.every(({ found }) => found?.status?.status === "Available");
  if (isReady(template.value) || isFull) return worstOf(matched, terms);
  const text = `Template ${name} is ${state}${why ? `: ${why}` : ""}`;
  if (state === "Failed") return { state: "Failed", reason: "TemplateFailed", message: text };
  const reason = state === "NotAvailable" ? "TemplateNotAvailable" : "TemplateNotReady";
  return { state: "Pending", reason, message: text };
}

function worstOf(matched: readonly MatchedSource[], { cacheKind }: Terms): Outcome {
  const states = matched.map(({ found }) => found?.status?.status ?? "Pending");
  const failed = matched.find(({ found }) => found?.status?.status === "Failed");
  if (failed !== undefined) {
    const { name, why } = failed.found ?? {};
    const message = `${cacheKind} ${name} failed${why === undefined ? "; check its status" : `: ${why}`}`;
    return { state: "Failed", reason: "Failed", message };
  }
  const done = states.filter((state) => state === "Available").length;
  if (matched.length > 0 && done === matched.length)
    return { state: "Available", reason: "Warm", message: `${done} of ${done} sets of weights cached` };
  const state = states.includes("Progressing") ? "Progressing" : "Pending";
  const failing = matched.find(({ found }) => found?.isFailing === true)?.found;
  if (failing?.why !== undefined)
    return { state, reason: "DownloadFailing", message: `${cacheKind} ${failing.name}: ${failing.why}` };
  const message =
    matched.length === 0
      ? "The template specifies no weights yet"
      : `${done} of ${matched.length} sets of weights cached`;
  const troubled = matched.find(({ found }) => found?.why !== undefined)?.found;
  const cause = troubled === undefined ? "" : `; ${cacheKind} ${troubled.name}: ${troubled.why}`;
  const reason = failing === undefined ? "Warming" : "DownloadFailing";
  return { state, reason, message: `${message}${cause}` };
}
