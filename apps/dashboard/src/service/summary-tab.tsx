import { formatAge } from "@trivium/explain";
import type { AnyObject } from "@trivium/kube";
import type { Explained } from "../decide/explain-service.ts";
import { now } from "../kube/clock.ts";
import { reader } from "../kube/dialects.ts";
import { Command } from "../parts/command.tsx";
import { Loading } from "../parts/empty.tsx";
import { route } from "../routing/location.ts";
import { formatRoute } from "../routing/route.ts";
import { useStanding } from "../services/used-objects.ts";
import { session } from "../session/session.ts";
import { Candidates } from "./candidates.tsx";
import { asShortCurl } from "./chat/request.ts";
import { GraphPicture } from "./graph/graph-picture.tsx";
import { viewGraph } from "./graph/graph-view.ts";
import { Memory } from "./memory.tsx";

export interface SummaryProps {
  readonly object: AnyObject;
  readonly explained: Explained | undefined;
}

/** The cause comes from the status at once; what the decision adds follows when its code is loaded. */
export function SummaryTab({ object, explained }: SummaryProps) {
  const { is, why } = useStanding(object);
  const since = reader.readyOf(object)?.lastTransitionTime;
  const { choice, fit } = explained?.gathered.explanation ?? {};
  return (
    <div class="grid">
      {why !== undefined && is !== "ready" && <Cause is={is} why={why} since={since} />}
      {(is === "ready" || is === "idle") && <UseIt object={object} />}
      {explained === undefined ? (
        <Loading what="the decision" />
      ) : (
        <>
          <section class="card grid-wide" aria-labelledby="graph">
            <h2 id="graph">Objects</h2>
            <GraphPicture view={viewGraph(explained.gathered, reader)} />
          </section>
          {choice !== undefined && <Candidates choice={choice} />}
          {fit !== undefined && <Memory fit={fit} />}
          {explained.sections.sections.filter(isListed).map(({ title, lines }) => (
            <section class="card" key={title} aria-label={title}>
              <h2>{title}</h2>
              <ul class="lines">
                {lines.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </section>
          ))}
        </>
      )}
    </div>
  );
}

/** Others have a picture or a table. */
const listed = ["Failing conditions", "Depends on", "Owns", "Path to the cause", "Warnings"];
const isListed = ({ title }: { readonly title: string }): boolean => listed.includes(title);

const titles = {
  idle: "Scaled to zero",
  progressing: "In progress",
  failed: "Not ready",
  degraded: "Needs action",
  ready: "",
};

interface CauseProps {
  readonly is: keyof typeof titles;
  readonly why: string;
  readonly since: string | undefined;
}

const Cause = ({ is, why, since }: CauseProps) => (
  <section class={`card grid-wide cause cause-${is}`} aria-labelledby="cause">
    <div class="page-head">
      <h2 id="cause">{titles[is]}</h2>
      {since !== undefined && (
        <span class="muted" title={new Date(since).toLocaleString()}>
          for {formatAge(now.value - Date.parse(since))}
        </span>
      )}
    </div>
    <p>{why}</p>
  </section>
);

/** The first request to what serves, to copy. */
function UseIt({ object: { metadata } }: { readonly object: AnyObject }) {
  const { hasGateway, gatewayAddress } = session.value?.features ?? {};
  const current = route.value;
  if (hasGateway !== true || gatewayAddress === undefined || current.page !== "service") return null;
  const model = `${metadata.namespace}/${metadata.name}`;
  return (
    <section class="card grid-wide" aria-labelledby="use">
      <h2 id="use">Use it</h2>
      <p>
        OpenAI API at <code>{gatewayAddress}/v1</code>, model <code>{model}</code>, or{" "}
        <a href={formatRoute({ ...current, tab: "chat" })}>chat with it here</a>.
      </p>
      <Command text={asShortCurl(gatewayAddress, model)} />
    </section>
  );
}
