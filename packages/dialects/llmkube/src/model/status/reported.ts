import type { ModelReason } from "../../reasons.ts";
import type { ObservedModel } from "../observe.ts";
import type { DriftReport } from "../weights/drift.ts";
import type { ModelOutcome } from "./outcome.ts";
import type { SpecWarning } from "./warnings.ts";

export type Spoken = Exclude<ModelOutcome, { is: "unknown" }>;

/** Everything that conditions and events are about. */
export interface Reported {
  readonly outcome: Spoken;
  readonly drift: DriftReport | undefined;
  readonly cache: ObservedModel["cache"];
  readonly warnings: readonly SpecWarning[];
  /** Why nothing is known of the file. */
  readonly blindness: string | undefined;
  /** Why engines cannot read the file: it is found, and no service will serve it. */
  readonly unreadable: string | undefined;
}

export const needsPerson: readonly string[] = ["SourceNotFound", "SourceUnauthorized"];
const degrading: readonly string[] = ["DownloadRetrying", ...needsPerson];

/** A download that stumbled is tried again, and something is wrong meanwhile. */
export function faultOf({ outcome, unreadable }: Reported): { reason: ModelReason; message: string } | undefined {
  if (unreadable !== undefined)
    return { reason: "InvalidModelFile", message: `The file cannot be read: ${unreadable}; ${validFile}` };
  if (outcome.is === "ready" || (outcome.is === "waiting" && !degrading.includes(outcome.reason))) return undefined;
  return { reason: outcome.reason, message: outcome.message };
}

const validFile = "provide a valid file, or change spec.source";
