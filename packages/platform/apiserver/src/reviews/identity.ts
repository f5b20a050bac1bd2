import type { JsonObject } from "@trivium/std";
import type { Call } from "../call.ts";
import type { Identity } from "../identity.ts";
import { badRequest } from "../refusals.ts";

/** `SelfSubjectReview`: who am I? */
export function whoAmI(_spec: JsonObject, { identity }: Call): JsonObject {
  return { userInfo: userOf(identity) };
}

/** `TokenReview`: whose token is this? */
export function whoseToken({ token, audiences }: JsonObject, { backend }: Call): JsonObject {
  if (typeof token !== "string" || token === "")
    throw badRequest("token is required for TokenReview in authentication");
  const owner = backend.tokenOwner(token, Array.isArray(audiences) ? audiences.map(String) : []);
  if (owner.is === "unknown") return { user: {}, error: owner.why };
  return { authenticated: true, user: userOf(owner.identity), audiences: [...owner.audiences] };
}

function userOf({ user, uid, groups, extra }: Identity): JsonObject {
  return {
    username: user,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined ? {} : { extra: extra as unknown as JsonObject }),
  };
}
