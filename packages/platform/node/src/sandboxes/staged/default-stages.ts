import type { Stage, StageTable } from "./stage.ts";

/** A pod with this annotation asks for one of the named lives below. */
export const stageAnnotation = "trivium.dev/stage";

const asked = (name: string, life: Stage["life"]): Stage => ({
  name,
  match: { role: "main", annotations: { [stageAnnotation]: name } },
  life,
});

/** Lives that a pod can ask for by name, and what happens without asking: pods of Jobs complete, all others become ready. */
export const defaultStages: StageTable = [
  asked("serves", { pull: "200ms", ready: "500ms" }),
  asked("completes", { pull: "200ms", exit: { after: "1s", code: 0 } }),
  asked("fails", { pull: "200ms", exit: { after: "500ms", code: 1 }, log: [{ text: "error: this container fails" }] }),
  asked("crashes", { pull: "100ms", exit: { after: "200ms", code: 139, signal: 11 } }),
  asked("runs-out-of-memory", { pull: "200ms", ready: "100ms", exit: { after: "1s", code: 137, reason: "OOMKilled" } }),
  asked("never-ready", { pull: "200ms", ready: "never" }),
  asked("image-pull-error", { pull: { after: "200ms" } }),
  asked("stops-slowly", { pull: "200ms", ready: "500ms", stop: { after: "5s" } }),
  { name: "init container", match: { role: "init" }, life: { pull: "100ms", exit: { after: "100ms", code: 0 } } },
  {
    name: "pod of a Job",
    match: { role: "main", owner: "Job" },
    life: { pull: "200ms", exit: { after: "1s", code: 0 } },
  },
  { name: "anything else", life: { pull: "200ms", ready: "500ms" } },
];
