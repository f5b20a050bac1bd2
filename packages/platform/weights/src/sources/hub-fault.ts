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
            `${repo}: gated, and this token has no access; request it on the model's page`,
          )
        : new WeightsError(
            "not-allowed",
            "GatedRepo",
            `${repo}: gated, and no token (HF_TOKEN) was given; request access on the model's page`,
          );
    case "RevisionNotFound":
      return new WeightsError("not-found", "RevisionNotFound", `${repo}: no such branch, tag or commit`);
    case "EntryNotFound":
      return new WeightsError("not-found", "NotFound", `${repo}: no such file`);
    case "RepoNotFound":
      // To a stranger a hub does not tell a private repository from none.
      return new WeightsError(
        "not-found",
        "RepoNotFound",
        hasToken
          ? `${repo}: no such repository, or this token cannot see it`
          : `${repo}: no such repository, or a private one: no token (HF_TOKEN) was given`,
      );
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
    : new WeightsError(
        "not-allowed",
        "TokenMissing",
        `${repo}: the hub requires a token (HF_TOKEN), and none was given`,
      );
}
