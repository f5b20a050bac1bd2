import type { AnyObject, Kind } from "@trivium/kube";
import { useMemo, useState } from "preact/hooks";
import { stringify } from "yaml";
import { RequestFailure } from "../../kube/request.ts";
import { useDenial } from "../../kube/rights.ts";
import { Command } from "../../parts/command.tsx";
import { Diff } from "../../parts/diff.tsx";
import { keepOrder } from "../../parts/keep-order.ts";
import { type Edit, editableText, readEdit } from "./edit.ts";
import { writeObject } from "./write-object.ts";

type Step =
  | { readonly is: "view" }
  | (Draft & { readonly is: "edit"; readonly failure?: string; readonly isConflict?: boolean })
  | (Draft & {
      readonly is: "review";
      readonly edit: Exclude<Edit, { is: "faulty" }>;
      readonly after: string;
      readonly isForced: boolean;
    });

interface Draft {
  readonly text: string;
  /** The object as it was when the editing began. */
  readonly base: string;
}

/** The manifest: to read, and to edit with a dry run and its difference first. */
export function YamlTab({ object, kind }: { readonly object: AnyObject; readonly kind: Kind }) {
  const [step, setStep] = useState<Step>({ is: "view" });
  const [outcome, setOutcome] = useState("");
  const begin = () => {
    setOutcome("");
    const text = editableText(object);
    setStep({ is: "edit", text, base: text });
  };
  const dryRun = async ({ text, base }: Draft, isForced = false) => {
    const draft = { text, base };
    const edit = readEdit(text, object);
    if (edit.is === "faulty") return setStep({ is: "edit", ...draft, failure: edit.why });
    try {
      const after = await writeObject(kind, edit, { isDryRun: true, isForced });
      setStep({ is: "review", ...draft, edit, after: editableText(keepOrder(after, object)), isForced });
    } catch (error) {
      setStep({ is: "edit", ...draft, failure: describe(error), isConflict: isConflict(error) });
    }
  };
  const apply = async ({ edit, isForced, text, base }: Extract<Step, { is: "review" }>) => {
    try {
      await writeObject(kind, edit, { isDryRun: false, isForced });
      setOutcome("Applied");
      setStep({ is: "view" });
    } catch (error) {
      setStep({ is: "edit", text, base, failure: describe(error) });
    }
  };
  return (
    <section class="card" aria-label="Manifest">
      <p role="status">{outcome}</p>
      {step.is === "view" && <View object={object} kind={kind} edit={begin} />}
      {step.is === "edit" && (
        <Editor
          step={step}
          live={editableText(object)}
          check={dryRun}
          cancel={() => setStep({ is: "view" })}
          change={(draft) => setStep({ is: "edit", ...draft })}
        />
      )}
      {step.is === "review" && (
        <>
          <h2>What would change</h2>
          <Diff before={editableText(object)} after={step.after} />
          <div class="actions">
            <button type="button" class="primary" onClick={() => apply(step)}>
              Apply
            </button>
            <button
              type="button"
              class="quiet"
              onClick={() => setStep({ is: "edit", text: step.text, base: step.base })}
            >
              Back
            </button>
          </div>
        </>
      )}
    </section>
  );
}

/** Another manager owns a field that was changed. */
const isConflict = (error: unknown): boolean => error instanceof RequestFailure && error.status === 409;

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function View({ object, kind, edit }: { readonly object: AnyObject; readonly kind: Kind; edit(): void }) {
  const { managedFields: _, ...metadata } = object.metadata;
  const denial = useDenial({ verb: "patch", kind, namespace: metadata.namespace });
  return (
    <>
      <div class="actions">
        <button type="button" class="primary" onClick={edit} disabled={denial !== undefined}>
          Edit
        </button>
        {denial !== undefined && <span class="muted">{denial}</span>}
      </div>
      <Command text={stringify({ ...object, metadata }, { lineWidth: 0 })} />
    </>
  );
}

interface EditorProps {
  readonly step: Extract<Step, { is: "edit" }>;
  /** The object as it is now. */
  readonly live: string;
  check(draft: Draft, isForced?: boolean): void;
  change(draft: Draft): void;
  cancel(): void;
}

function Editor({ step, live, check, change, cancel }: EditorProps) {
  const { text, base } = step;
  // Someone else changed the object: what the text does not touch would be set back.
  const hasMoved = base !== live;
  return (
    <>
      {step.failure !== undefined && (
        <p class="notice" role="alert">
          {step.failure}
        </p>
      )}
      {hasMoved && (
        <div class="notice" role="status">
          <p>The object changed while you edit; the difference below is to its new state.</p>
          <button type="button" class="quiet" onClick={() => change({ text: live, base: live })}>
            Start again from the new state
          </button>
        </div>
      )}
      <label class="field">
        Manifest
        <textarea
          class="editor mono"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => change({ text: currentTarget.value, base })}
        />
      </label>
      <div class="actions">
        <button type="button" class="primary" onClick={() => check(step)}>
          Dry run
        </button>
        {step.isConflict === true && (
          <button type="button" class="quiet" onClick={() => check(step, true)}>
            Dry run, and take over fields of other managers
          </button>
        )}
        <button type="button" class="quiet" onClick={cancel}>
          Cancel
        </button>
      </div>
      <Changes before={live} after={text} />
    </>
  );
}

/** What differs from the live object, with every key. */
function Changes({ before, after }: { readonly before: string; readonly after: string }) {
  const diff = useMemo(() => <Diff before={before.trimEnd()} after={after.trimEnd()} />, [before, after]);
  return (
    <section aria-label="Your changes">
      <h3>Your changes</h3>
      {before === after ? <p class="muted">Nothing changed yet</p> : diff}
    </section>
  );
}
