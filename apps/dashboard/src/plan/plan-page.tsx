import { useState } from "preact/hooks";
import type { PlannedManifest } from "../decide/plan-manifests.ts";
import { Empty } from "../parts/empty.tsx";
import { apiName } from "../parts/status.tsx";
import { session } from "../session/session.ts";
import { examples } from "./examples.ts";
import { PlannedCard } from "./planned-card.tsx";
import { readManifests } from "./read-manifests.ts";
import "../styles/service.css";

type State =
  | { readonly is: "empty" }
  | { readonly is: "busy"; readonly doing: string }
  | { readonly is: "planned"; readonly all: readonly PlannedManifest[]; readonly faults: readonly string[] }
  | { readonly is: "done"; readonly text: string };

/** What applying manifests would do: the difference, the choice, the memory and what is missing. Then applying them. */
export function PlanPage() {
  const [text, setText] = useState("");
  const [state, setState] = useState<State>({ is: "empty" });
  const namespace = session.value?.namespace ?? "default";
  const plan = async (written: string) => {
    setState({ is: "busy", doing: "Planning" });
    try {
      const { objects, faults } = readManifests(written);
      const { planManifests } = await import("../decide/plan-manifests.ts");
      setState({ is: "planned", all: await planManifests(objects, namespace), faults });
    } catch (error) {
      setState({ is: "planned", all: [], faults: [describe(error)] });
    }
  };
  const apply = async (all: readonly PlannedManifest[]) => {
    setState({ is: "busy", doing: "Applying" });
    try {
      const { applyPlan } = await import("../decide/plan-manifests.ts");
      await applyPlan(all);
      setState({ is: "done", text: `Applied ${all.length} ${all.length === 1 ? "object" : "objects"}` });
    } catch (error) {
      setState({ is: "planned", all, faults: [describe(error)] });
    }
  };
  const take = async (files: FileList | null | undefined) => {
    const texts = await Promise.all([...(files ?? [])].map((file) => file.text()));
    if (texts.length === 0) return;
    const all = texts.join("\n---\n");
    setText(all);
    await plan(all);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void take(event.dataTransfer?.files);
  };
  return (
    <div class="page">
      <h1 tabIndex={-1}>Plan</h1>
      <section class="card" aria-label="Manifests">
        <label class="field">
          Manifests: paste them, or drop files here
          <textarea
            class="editor editor-short mono"
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={drop}
          />
        </label>
        <div class="actions">
          <button
            type="button"
            class="primary"
            disabled={text.trim() === "" || state.is === "busy"}
            onClick={() => plan(text)}
          >
            Plan
          </button>
          <label class="quiet file-button">
            Choose files
            <input
              class="sr-only"
              type="file"
              accept=".yaml,.yml,.json"
              multiple
              onChange={({ currentTarget }) => take(currentTarget.files)}
            />
          </label>
          <span role="status" class="muted">
            {state.is === "busy" ? `${state.doing} …` : state.is === "done" ? state.text : ""}
          </span>
        </div>
      </section>
      {state.is === "empty" && (
        <>
          <Empty title="Nothing planned" command="trivium plan -f service.yaml">
            This page shows what applying manifests would change, which profile each service would get, whether its
            model fits, and what is missing. Nothing is written before you apply. The same in a terminal:
          </Empty>
          <div class="empty-actions">
            <p class="muted">Or start from an example:</p>
            {examples.map(({ api, text: example }) => (
              <button key={api} type="button" class="quiet" onClick={() => setText(example)}>
                {apiName(api)}
              </button>
            ))}
          </div>
        </>
      )}
      {state.is === "planned" && <Result all={state.all} faults={state.faults} apply={() => apply(state.all)} />}
    </div>
  );
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface ResultProps {
  readonly all: readonly PlannedManifest[];
  readonly faults: readonly string[];
  apply(): void;
}

function Result({ all, faults, apply }: ResultProps) {
  const isRefused = faults.length > 0 || all.some(({ action }) => action === "refused");
  const changes = all.filter(({ action }) => action === "create" || action === "change").length;
  return (
    <>
      {faults.map((fault) => (
        <p key={fault} class="notice" role="alert">
          {fault}
        </p>
      ))}
      {all.map((one) => (
        <PlannedCard
          key={`${one.manifest.kind} ${one.manifest.metadata.namespace} ${one.manifest.metadata.name}`}
          planned={one}
        />
      ))}
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={isRefused || changes === 0 || session.value?.isReadOnly === true}
          onClick={apply}
        >
          Apply {changes} {changes === 1 ? "change" : "changes"}
        </button>
        {isRefused && <span class="muted">Correct what is refused, then plan again</span>}
      </div>
    </>
  );
}
