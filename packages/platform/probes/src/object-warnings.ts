import { lastWarning } from "@trivium/domain";
import { Event, type KubeClient } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";

/** Two writers met, and one tries again: nobody need know. */
const harmless = /object has been modified/i;

/** Answers what was last warned of an object. */
export function objectWarningAnswers(client: KubeClient): Answered[] {
  return [
    answer(lastWarning, async ({ namespace, uid }, { signal }) => {
      const fieldSelector = `involvedObject.uid=${uid},type=Warning`;
      const { items } = await client.list(Event, { namespace, fieldSelector, signal });
      const [newest] = items
        .filter(({ message = "" }) => !harmless.test(message))
        .sort((a, b) => (timeOf(a) > timeOf(b) ? -1 : 1));
      return newest === undefined ? undefined : { reason: newest.reason ?? "", message: newest.message ?? "" };
    }) as Answered,
  ];
}

/** Whoever tells of something again writes down when, in one of several places. */
function timeOf({ series, lastTimestamp, eventTime, metadata }: Event): string {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
}
