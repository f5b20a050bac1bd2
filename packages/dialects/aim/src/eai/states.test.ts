import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { toNewer, toOlder } from "./objects.ts";

/** `<state>/<reason of Ready>` in the older group, and in the newer. */
const rows: readonly (readonly [what: string, kind: string, older: string, newer: string])[] = [
  ["a model that does not exist", "AIMService", "Pending/ModelNotFound", "Failed/ModelNotFound"],
  ["the template that a service names", "AIMService", "Degraded/TemplateNotFound", "Failed/TemplateNotFound"],
  ["a model without templates", "AIMService", "Failed/TemplateNotFound", "Pending/TemplateNotFound"],
  ["a template that is being created", "AIMService", "Pending/TemplateNotFound", "Pending/TemplateCreating"],
  ["a missing config", "AIMModel", "Degraded/RuntimeConfigMissing", "Failed/RuntimeConfigMissing"],
  ["a cache without its template", "AIMTemplateCache", "Pending/AwaitingTemplate", "Failed/ReferenceNotFound"],
  [
    "a cache whose template waits for a GPU",
    "AIMTemplateCache",
    "Pending/TemplateNotAvailable",
    "NotAvailable/TemplateNotAvailable",
  ],
  ["a cache whose template is not ready", "AIMTemplateCache", "Pending/TemplateNotReady", "Pending/TemplateNotReady"],
];

function objectWith(kind: string, text: string): AnyObject {
  const [status = "", reason = ""] = text.split("/");
  const ready = { type: "Ready", status: "False", reason, message: `about ${reason}`, observedGeneration: 1 };
  const metadata = { name: "foo", namespace: "team" };
  return { apiVersion: "aim.silogen.ai/v1alpha1", kind, metadata, status: { status, conditions: [ready] } };
}

const textOf = ({ status }: AnyObject): string => {
  const { status: state, conditions } = status as { status: string; conditions: { type: string; reason: string }[] };
  return `${state}/${conditions.find(({ type }) => type === "Ready")?.reason}`;
};

for (const [what, kind, older, newer] of rows)
  test(`state of ${what} in the newer group, and back`, () => {
    const there = toNewer(objectWith(kind, older));
    assert.equal(textOf(there), newer);
    assert.equal(textOf(toOlder(there)), older);
  });
