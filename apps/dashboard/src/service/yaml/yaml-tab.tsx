import type { AnyObject, Kind } from "@trivium/kube";
import { useState } from "preact/hooks";
import { stringify } from "yaml";
import { RequestFailure } from "../../kube/request.ts";
import { Command } from "../../parts/command.tsx";
import { Diff } from "../../parts/diff.tsx";
import { session } from "../../session/session.ts";
import { type Edit, editableText, readEdit } from "./edit.ts";
import { writeObject } from "./write-object.ts";

type Step =
  | { readonly is: "view" }
  | { readonly is: "edit"; readonly text: string; readonly failure?: string; readonly isConflict?: boolean }
  | {
      readonly is: "review";
      readonly text: string;
      readonly edit: Exclude<Edit, { is: "faulty" }>;
      readonly after: string;
      readonly isForced: boolean;
    };

/** The manifest: to read, and to edit with a dry run and its difference first. */
export function YamlTab({ object, kind }: { readonly object: AnyObject; readonly kind: Kind }) {
  const [step, setStep] = useState<Step>({ is: "view" });
  const [outcome, setOutcome] = useState("");
  const begin = () => {
    setOutcome("");
    setStep({ is: "edit", text: editableText(object) });
  };
  const dryRun = async (text: string, isForced = false) => {
    const edit = readEdit(text, object);
    if (edit.is === "faulty") return setStep({ is: "edit", text, failure: edit.why });
    try {
      const after = await writeObject(kind, edit, { isDryRun: true, isForced });
      setStep({ is: "review", text, edit, after: editableText(after), isForced });
    } catch (error) {
      setStep({ is: "edit", text, failure: describe(error), isConflict: isConflict(error) });
    }
  };
  const apply = async ({ edit, isForced, text }: Extract<Step, { is: "review" }>) => {
    try {
      await writeObject(kind, edit, { isDryRun: false, isForced });
      setOutcome("Applied");
      setStep({ is: "view" });
    } catch (error) {
      setStep({ is: "edit", text, failure: describe(error) });
    }
  };
  return (
    <section class="card" aria-label="Manifest">
      <p role="status">{outcome}</p>
      {step.is === "view" && <View object={object} edit={begin} />}
      {step.is === "edit" && (
        <Editor
          step={step}
          check={dryRun}
          cancel={() => setStep({ is: "view" })}
          change={(text) => setStep({ is: "edit", text })}
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
            <button type="button" class="quiet" onClick={() => setStep({ is: "edit", text: step.text })}>
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

function View({ object, edit }: { readonly object: AnyObject; edit(): void }) {
  const { managedFields: _, ...metadata } = object.metadata;
  const isReadOnly = session.value?.isReadOnly === true;
  return (
    <>
      <div class="actions">
        <button type="button" class="primary" onClick={edit} disabled={isReadOnly}>
          Edit
        </button>
        {isReadOnly && <span class="muted">This dashboard is read only</span>}
      </div>
      <Command text={stringify({ ...object, metadata }, { lineWidth: 0 })} />
    </>
  );
}

interface EditorProps {
  readonly step: Extract<Step, { is: "edit" }>;
  check(text: string, isForced?: boolean): void;
  change(text: string): void;
  cancel(): void;
}

function Editor({ step, check, change, cancel }: EditorProps) {
  return (
    <>
      {step.failure !== undefined && (
        <p class="notice" role="alert">
          {step.failure}
        </p>
      )}
      <label class="field">
        Manifest
        <textarea
          class="editor mono"
          spellcheck={false}
          value={step.text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      </label>
      <div class="actions">
        <button type="button" class="primary" onClick={() => check(step.text)}>
          Dry run
        </button>
        {step.isConflict === true && (
          <button type="button" class="quiet" onClick={() => check(step.text, true)}>
            Dry run, and take over fields of other managers
          </button>
        )}
        <button type="button" class="quiet" onClick={cancel}>
          Cancel
        </button>
      </div>
    </>
  );
}
