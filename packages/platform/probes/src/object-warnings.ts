import { lastWarning } from "@trivium/domain";
import { Event, type KubeClient } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { type Instant, parseTime } from "@trivium/std";

/** Two writers met, and one tries again: nobody need know. */
const harmless = /object has been modified/i;

/** Says only that something is tried again, which the status of the object says already. */
const echo = "BackOff";

/** Answers what was last warned of an object. */
export function objectWarningAnswers(client: KubeClient): Answered[] {
  return [
    answer(lastWarning, async ({ namespace, uid, since }, { signal }) => {
      const fieldSelector = `involvedObject.uid=${uid},type=Warning`;
      const { items } = await client.list(Event, { namespace, fieldSelector, signal });
      const [newest] = items
        .filter(({ reason }) => reason !== echo)
        .filter((event) => !harmless.test(event.message ?? "") && timeOf(event) >= (parseTime(since ?? "") ?? 0))
        .sort((a, b) => timeOf(b) - timeOf(a));
      return newest === undefined ? undefined : { reason: newest.reason ?? "", message: newest.message ?? "" };
    }) as Answered,
  ];
}

/** Whoever tells of something again writes down when, in one of several places. */
function timeOf({ series, lastTimestamp, eventTime, metadata }: Event): Instant {
  const reported = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return parseTime(reported ?? "") ?? 0;
}
