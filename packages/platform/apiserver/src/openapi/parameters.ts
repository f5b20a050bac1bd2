import type { JsonObject } from "@trivium/std";

/** Query and path parameters of the API, described once in our own words. kubectl looks for them by name on an operation. */
function query(name: string, type: "string" | "boolean" | "integer", description: string): JsonObject {
  return { name, in: "query", description, schema: { type, uniqueItems: true } };
}

function path(name: string, description: string): JsonObject {
  return { name, in: "path", description, required: true, schema: { type: "string", uniqueItems: true } };
}

const dryRun = query("dryRun", "string", "All: go through every step but store nothing");
const fieldManager = query(
  "fieldManager",
  "string",
  "Name of the client that makes this change, stored in managedFields",
);
const fieldValidation = query(
  "fieldValidation",
  "string",
  "What to do about unknown or duplicate fields: Ignore them, Warn (the default), or Strict to refuse the request",
);
const force = query("force", "boolean", "Take over fields that other managers own; for apply patches only");

export const pretty = query("pretty", "string", "true: indent the response");
export const namespacePath = path("namespace", "Namespace of the object");
export const namePath = (kind: string): JsonObject => path("name", `Name of the ${kind}`);

export const writeParameters = [dryRun, fieldManager, fieldValidation];
export const patchParameters = [dryRun, fieldManager, fieldValidation, force];
export const readParameters = [query("resourceVersion", "string", "Respond with this version or a newer one")];

export const deleteParameters = [
  dryRun,
  query("gracePeriodSeconds", "integer", "How long the object may take to stop; 0 removes it at once"),
  query("orphanDependents", "boolean", "Former form of propagationPolicy"),
  query("propagationPolicy", "string", "What becomes of dependents: Orphan, Background or Foreground"),
];

export const listParameters = [
  query("allowWatchBookmarks", "boolean", "Send bookmark events on this watch"),
  query("continue", "string", "Go on with a list where the last answer ended"),
  query("fieldSelector", "string", "Only objects whose fields match"),
  query("labelSelector", "string", "Only objects whose labels match"),
  query("limit", "integer", "At most this many objects in one answer"),
  query("resourceVersion", "string", "Which version of the collection to answer from"),
  query("resourceVersionMatch", "string", "How resourceVersion is meant: Exact or NotOlderThan"),
  query("sendInitialEvents", "boolean", "Begin the watch with an event for each object there is"),
  query("timeoutSeconds", "integer", "End the call after this time"),
  query("watch", "boolean", "Stream changes instead of listing"),
];
