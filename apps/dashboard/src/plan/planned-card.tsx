import type { PlannedManifest } from "../decide/plan-manifests.ts";
import { Diff } from "../parts/diff.tsx";
import { Candidates } from "../service/candidates.tsx";
import { Memory } from "../service/memory.tsx";

const actions = { create: "Create", change: "Change", none: "No change", refused: "Refused" } as const;

/** One manifest: what happens to its object, and what would be decided about a service. */
export function PlannedCard({ planned }: { readonly planned: PlannedManifest }) {
  const { manifest, action, failure, before, after, explanation, missing } = planned;
  const { kind, metadata } = manifest;
  const { choice, fit, diagnosis } = explanation ?? {};
  return (
    <section class="card" aria-label={`${kind} ${metadata.name}`}>
      <div class="page-head">
        <h2>
          {kind} {metadata.namespace === undefined ? "" : `${metadata.namespace}/`}
          {metadata.name}
        </h2>
        <span class={`tag tag-${action}`}>{actions[action]}</span>
      </div>
      {failure !== undefined && <p class="notice">{failure}</p>}
      {missing.map((one) => (
        <p key={one} class="notice">
          Missing: {one}
        </p>
      ))}
      {diagnosis !== undefined && (
        <p class="notice">
          Not ready: {diagnosis.cause}; {diagnosis.remedy}
        </p>
      )}
      {action === "change" && <Diff before={before} after={after} />}
      {action === "create" && (
        <details>
          <summary>The object as it would be created</summary>
          <Diff before="" after={after} />
        </details>
      )}
      {choice !== undefined && <Candidates choice={choice} />}
      {fit !== undefined && <Memory fit={fit} />}
    </section>
  );
}
