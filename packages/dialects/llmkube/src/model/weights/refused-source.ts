import type { SourceFault, SourceHead, SourceRefusal } from "@trivium/domain";
import type { Fact } from "@trivium/std";
import type { Model } from "../../kinds/model.ts";
import type { ModelReason } from "../../reasons.ts";
import { cacheKeyOf } from "../../weights/cache-key.ts";

export interface RefusedInput {
  readonly model: Model;
  /** Whether a service may have a token that the operator lacks. */
  readonly mayNeedToken: boolean;
}

/** What a refusal to the operator means. Weights that were fetched before are not lost with their source. */
export function refusedSource(
  answer: Fact<SourceHead | SourceRefusal | object>,
  { model, mayNeedToken }: RefusedInput,
): SourceFault<ModelReason> | undefined {
  const refusal = refusalIn(answer);
  if (refusal === undefined || wasFetched(model)) return undefined;
  const reason = refusal.refused === "not-found" ? "SourceNotFound" : "SourceUnauthorized";
  if (!mayNeedToken) return { reason, message: `${refusal.why}; ${ways[refusal.refused]}`, isFinal: true };
  const way =
    "correct spec.source; for a private repository, add HF_TOKEN from a Secret to spec.env of the InferenceService";
  return { reason, message: `The operator cannot read the source: ${refusal.why}; ${way}`, isFinal: false };
}

const ways = {
  "not-found": "correct spec.source",
  "not-allowed": "URLs are downloaded without credentials; use a URL that needs none, such as a signed URL",
} as const;

function refusalIn(answer: Fact<SourceHead | SourceRefusal | object>): SourceRefusal | undefined {
  if (answer.is === "absent") return { refused: "not-found", why: "file not found (404)" };
  return answer.is === "known" && "refused" in answer.value ? answer.value : undefined;
}

const wasFetched = ({ spec, status }: Model): boolean =>
  Boolean(status?.sha256) && status?.cacheKey === cacheKeyOf(spec);
