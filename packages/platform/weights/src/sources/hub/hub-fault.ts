import { WeightsError } from "../../fault.ts";
import type { HttpAnswer } from "../../transfer/http/http-client.ts";

/** What a hub's refusal means. It says more in `X-Error-Code` than in the status: an unknown repository reads as 401 to a stranger. */
export function hubFault(answer: HttpAnswer, repo: string, hasToken: boolean): WeightsError | undefined {
  switch (answer.headers("x-error-code")) {
    case "GatedRepo":
      return hasToken
        ? new WeightsError(
            "not-allowed",
            "GatedRepo",
            `${repo}: gated, and the token has no access; request access on the model's page`,
          )
        : new WeightsError(
            "not-allowed",
            "GatedRepo",
            `${repo}: gated; request access on the model's page and set HF_TOKEN`,
          );
    case "RevisionNotFound":
      return new WeightsError("not-found", "RevisionNotFound", `${repo}: branch, tag or commit not found`);
    case "EntryNotFound":
      return new WeightsError("not-found", "NotFound", `${repo}: file not found`);
    case "RepoNotFound":
      // To a stranger a hub does not tell a private repository from none.
      return new WeightsError(
        "not-found",
        "RepoNotFound",
        hasToken
          ? `${repo}: repository not found, or the token has no access`
          : `${repo}: repository not found, or it is private and HF_TOKEN is not set`,
      );
    case "DisabledRepo":
      return new WeightsError("not-allowed", "AccessDenied", `${repo}: disabled by the hub`);
  }
  if (answer.status !== 401) return undefined;
  return hasToken
    ? new WeightsError(
        "not-allowed",
        "TokenRejected",
        `${repo}: the hub rejected the token; check whether it has expired`,
      )
    : new WeightsError("not-allowed", "TokenMissing", `${repo}: the hub requires a token; set HF_TOKEN`);
}
