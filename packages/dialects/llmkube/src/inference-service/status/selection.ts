import type { Choice } from "@trivium/domain";
import type { InferenceService } from "../../kinds/inference-service.ts";

type Raised = Pick<NonNullable<InferenceService["status"]>, "selection">;

/** Which image the service runs, and what kept every other one from it. */
export function raiseSelection({ spec }: InferenceService, choice: Choice | undefined): Raised {
  if (choice === undefined) return {};
  const candidates = choice.candidates.map((one) => ({ ...one, failed: [...one.failed] }));
  return { selection: { ...choice, runtime: spec.runtime ?? "llamacpp", candidates } };
}
