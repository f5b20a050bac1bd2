import { WeightsError } from "../fault.ts";
import type { HttpAnswer } from "../transfer/http-client.ts";

/** What a hub's refusal means. It says more in `X-Error-Code` than in the status: an unknown repository reads as 401 to a stranger. */
export function hubFault(answer: HttpAnswer, repo: string, hasToken: boolean): WeightsError | undefined {
  switch (answer.headers("x-error-code")) {
    case "GatedRepo":
      return hasToken
        ? new WeightsError(
            "not-allowed",
            "GatedRepo",
            `${repo}: gated, and this token has no access; ask for it on the model's page`,
          )
        : new WeightsError(
            "not-allowed",
            "GatedRepo",
            `${repo}: gated; ask for access on the model's page and set HF_TOKEN`,
          );
    case "RevisionNotFound":
      return new WeightsError("not-found", "RevisionNotFound", `${repo}: no such branch, tag or commit`);
    case "EntryNotFound":
      return new WeightsError("not-found", "NotFound", `${repo}: no such file`);
    case "RepoNotFound":
      return hasToken
        ? new WeightsError("not-found", "NotFound", `${repo}: no such repository, or this token may not see it`)
        : new WeightsError("not-found", "NotFound", `${repo}: no such repository; if it is private, set HF_TOKEN`);
    case "DisabledRepo":
      return new WeightsError("not-allowed", "AccessDenied", `${repo}: disabled by the hub`);
  }
  if (answer.status !== 401) return undefined;
  return hasToken
    ? new WeightsError(
        "not-allowed",
        "TokenRejected",
        `${repo}: the hub does not accept this token; it may have expired`,
      )
    : new WeightsError("not-allowed", "TokenMissing", `${repo}: the hub wants a token; set HF_TOKEN`);
}
