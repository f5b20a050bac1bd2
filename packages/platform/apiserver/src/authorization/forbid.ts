import type { ApiError } from "@trivium/kube";
import type { Identity } from "../identity.ts";
import { forbidden, refusal } from "../refusals.ts";
import type { Attributes } from "./attributes.ts";

/** The 403 of a caller who has no rule for it, in the words that clients and people know. */
export function refuseAccess(identity: Identity, asked: Attributes, reason: string): ApiError {
  const why = escapeMarkup(describe(identity, asked)) + (reason === "" ? "" : `: ${reason}`);
  if (asked.is === "path") return refusal(403, "Forbidden", `forbidden: ${why}`, {});
  return forbidden({ group: asked.group, plural: asked.resource }, asked.name, why);
}

function describe({ user }: Identity, asked: Attributes): string {
  if (asked.is === "path") return `User ${quote(user)} cannot ${asked.verb} path ${quote(asked.path)}`;
  const resource = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const where = asked.namespace === "" ? "at the cluster scope" : `in the namespace ${quote(asked.namespace)}`;
  return `User ${quote(user)} cannot ${asked.verb} resource ${quote(resource)} in API group ${quote(asked.group)} ${where}`;
}

const quote = (text: string): string => JSON.stringify(text);

/** Names come from the caller, and some browsers guess that an answer is a page. */
const escapeMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
