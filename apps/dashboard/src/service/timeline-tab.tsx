import { formatAge } from "@trivium/explain";
import type { AnyObject } from "@trivium/kube";
import type { Explained } from "../decide/explain-service.ts";
import { now } from "../kube/clock.ts";
import { Empty } from "../parts/empty.tsx";
import { buildTimeline } from "./timeline.ts";

export interface TimelineProps {
  readonly object: AnyObject;
  readonly explained: Explained | undefined;
  readonly events: readonly AnyObject[];
}

/** A browser lays out so many without a pause; a pod that fails in a loop has thousands. */
const mostShown = 500;

export function TimelineTab({ object, explained, events }: TimelineProps) {
  const entries = buildTimeline(explained?.gathered ?? { object, uses: [], parts: [] }, events);
  if (entries.length === 0)
    return (
      <Empty title="Nothing happened yet" command={`kubectl get events -n ${object.metadata.namespace} --watch`}>
        Changes of conditions and events appear here with their time. The same in a terminal:
      </Empty>
    );
  return (
    <>
      {entries.length > mostShown && (
        <p class="muted">
          Showing the newest {mostShown} of {entries.length} entries.
        </p>
      )}
      <ol class="card timeline">
        {entries.slice(0, mostShown).map(({ at, is, of, title, message, count }, place) => (
          <li key={`${at} ${of} ${title} ${place}`} class={`moment moment-${is}`}>
            <time dateTime={at} title={new Date(at).toLocaleString()}>
              {formatAge(now.value - Date.parse(at))} ago
            </time>
            <div>
              <strong>{title}</strong> <span class="muted">{of}</span>{" "}
              {count > 1 && <span class="tag">{count} times</span>}
              {message !== "" && <p>{message}</p>}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
