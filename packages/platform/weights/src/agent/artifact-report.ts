import type { ArtifactReport } from "@trivium/domain";
import { exitCodes } from "../fault.ts";
import { rootOf } from "./artifact-event.ts";
import type { Lifecycle } from "./lifecycle.ts";

type Updating = Extract<ArtifactReport, { is: "updating" }>;

export const updatingOf = (
  { wanted: { key }, listed }: Lifecycle,
  more: Pick<Updating, "progress" | "isQueued"> = {},
): Updating => ({ key, is: "updating", ...listedOf({ listed }), ...more });

export const listedOf = ({ listed }: Pick<Lifecycle, "listed">): Pick<Updating, "listed"> =>
  listed === undefined ? {} : { listed };

export function exitCodeOf(error: unknown): { readonly exitCode?: number } {
  const fault = rootOf(error);
  return fault === undefined ? {} : { exitCode: exitCodes[fault.kind] };
}

/** Every failure is retried here, so the message is the one of the cause. */
export const sentenceOf = (error: unknown): string =>
  rootOf(error)?.message ?? (error instanceof Error ? error.message : String(error));
