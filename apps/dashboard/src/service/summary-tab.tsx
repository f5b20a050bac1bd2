import type { AnyObject } from "@trivium/kube";
import type { Explained } from "../decide/explain-service.ts";
import { reader } from "../kube/dialects.ts";
import { Loading } from "../parts/empty.tsx";
import { Candidates } from "./candidates.tsx";
import { GraphPicture } from "./graph/graph-picture.tsx";
import { viewGraph } from "./graph/graph-view.ts";
import { Memory } from "./memory.tsx";

export interface SummaryProps {
  readonly object: AnyObject;
  readonly explained: Explained | undefined;
}

/** The cause comes from the status at once; what the decision adds follows when its code is loaded. */
export function SummaryTab({ object, explained }: SummaryProps) {
  const { is, why } = reader.standingOf(object);
  const { choice, fit } = explained?.gathered.explanation ?? {};
  return (
    <div class="grid">
      {why !== undefined && is !== "ready" && <Cause is={is} why={why} />}
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

const Cause = ({ is, why }: { readonly is: keyof typeof titles; readonly why: string }) => (
  <section class={`card grid-wide cause cause-${is}`} aria-labelledby="cause">
    <h2 id="cause">{titles[is]}</h2>
    <p>{why}</p>
  </section>
);
