import type { IncomingMessage } from "node:http";
import type { Identity } from "../identity.ts";

/** The identity a caller asks to act as (`kubectl --as`). Every caller is an administrator, so all of them may. */
export function impersonate(request: IncomingMessage, caller: Identity): Identity {
  const user = request.headers["impersonate-user"];
  if (typeof user !== "string" || user === "") return caller;
  const uid = request.headers["impersonate-uid"];
  const groups = request.headersDistinct["impersonate-group"] ?? [];
  return {
    user,
    groups: [...new Set([...groups, "system:authenticated"])],
    ...(typeof uid === "string" ? { uid } : {}),
  };
}
