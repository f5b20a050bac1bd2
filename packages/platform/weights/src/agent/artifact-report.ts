import type { ArtifactReport } from "@trivium/domain";
import { rootOf } from "./artifact-event.ts";
import type { Lifecycle } from "./lifecycle.ts";

type Updating = Extract<ArtifactReport, { is: "updating" }>;

export const updatingOf = (
  { wanted: { key }, listed }: Lifecycle,
  more: Pick<Updating, "progress" | "isQueued"> = {},
): Updating => ({ key, is: "updating", ...listedOf({ listed }), ...more });

export const listedOf = ({ listed }: Pick<Lifecycle, "listed">): Pick<Updating, "listed"> =>
  listed === undefined ? {} : { listed };

/** Every failure is retried here, so the message is the one of the cause. */
export const sentenceOf = (error: unknown): string =>
  rootOf(error)?.message ?? (error instanceof Error ? error.message : String(error));
