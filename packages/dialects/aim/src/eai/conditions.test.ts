import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import type { JsonObject } from "@trivium/std";
import { toNewer, toOlder } from "./objects.ts";

const named = { name: "foo" };

/** A condition as `Type=Status/Reason`. */
const parse = (text: string): JsonObject => {
  const [, type = "", status = "", reason = ""] = /^(\w+)=(\w+)\/(\w+)$/.exec(text) ?? [];
  return { type, status, reason, message: `about ${reason}`, observedGeneration: 1 };
};

interface Row {
  readonly kind: string;
  readonly older: readonly string[];
  readonly status?: JsonObject;
  /** What users of the newer group wait for, by the names that the tests of its release have. */
  readonly newer: readonly string[];
}

const rows: Readonly<Record<string, Row>> = {
  "a model that does not exist": {
    kind: "AIMService",
    older: ["Ready=False/ModelNotFound", "Resolved=False/ModelNotFound"],
    newer: ["ModelReady=False/ModelNotFound"],
  },
  "a model that has failed": {
    kind: "AIMService",
    older: ["Ready=False/ModelFailed", "Resolved=False/ModelFailed"],
    newer: ["ModelReady=False/ModelNotReady"],
  },
  "a template that does not exist": {
    kind: "AIMService",
    status: { resolvedModel: named },
    older: ["Ready=False/TemplateNotFound", "Resolved=False/TemplateNotFound"],
    newer: ["ModelReady=True/ModelResolved", "TemplateReady=False/TemplateNotFound"],
  },
  "a template that is not available": {
    kind: "AIMService",
    status: { resolvedModel: named },
    older: ["Ready=False/TemplateNotAvailable", "Resolved=False/TemplateNotAvailable"],
    newer: ["TemplateReady=False/TemplateNotReady"],
  },
  "a full cache, and pods that no node has space for": {
    kind: "AIMService",
    status: { resolvedModel: named, resolvedTemplate: named },
    older: ["Ready=False/FailedScheduling", "CacheReady=True/CacheWarm", "RuntimeReady=False/FailedScheduling"],
    newer: [
      "TemplateReady=True/Resolved",
      "CacheReady=True/CacheReady",
      "InferenceServiceReady=False/FailedScheduling",
      "InferenceServicePodsReady=False/FailedScheduling",
    ],
  },
  "a cache of a template that does not exist": {
    kind: "AIMTemplateCache",
    older: ["Ready=False/AwaitingTemplate", "Resolved=False/TemplateNotFound"],
    newer: ["ServiceTemplateReady=False/ReferenceNotFound", "TemplateFound=False/TemplateNotFound"],
  },
  "a full template cache": {
    kind: "AIMTemplateCache",
    older: ["Ready=True/Warm", "Resolved=True/Resolved"],
    newer: ["ServiceTemplateReady=True/Resolved"],
  },
  "a model whose Secret is missing": {
    kind: "AIMModel",
    older: ["Ready=False/SecretNotFound", "MetadataExtracted=False/SecretNotFound"],
    newer: ["ConfigValid=False/ReferenceNotFound", "ImageMetadataReady=False/SecretNotFound"],
  },
  "a custom model whose image exists": {
    kind: "AIMClusterModel",
    older: ["Ready=True/AllTemplatesReady", "ImageFound=True/ImageFound"],
    newer: ["ConfigValid=True/Valid", "ImageMetadataReady=True/ImageFound"],
  },
  "a download with a wrong token": {
    kind: "AIMModelCache",
    older: ["Ready=False/DownloadFailed", "DownloadComplete=False/AuthError"],
    newer: ["AuthValid=False/AuthError", "DownloadJobPodsReady=False/AuthError"],
  },
  "a download to a full volume": {
    kind: "AIMModelCache",
    older: ["Ready=False/DownloadFailed", "DownloadComplete=False/StorageFull"],
    newer: ["DownloadJobPodsReady=False/StorageFull"],
  },
  "weights that have arrived": {
    kind: "AIMModelCache",
    older: ["Ready=True/Warm", "DownloadComplete=True/Verified"],
    newer: ["DownloadComplete=True/Verified", "AuthValid=True/Valid", "DownloadJobPodsReady=True/Healthy"],
  },
};

for (const [what, { kind, older, status = {}, newer }] of Object.entries(rows))
  test(`conditions of the newer group: ${what}`, () => {
    const object = {
      apiVersion: "aim.silogen.ai/v1alpha1",
      kind,
      metadata: { name: "chat" },
      spec: {},
      status: { ...status, conditions: older.map(parse) },
    } as AnyObject;
    const translated = toNewer(object);
    const { conditions } = translated.status as { conditions: JsonObject[] };
    const found = conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`);
    assert.deepEqual(
      newer.filter((one) => !found.includes(one)),
      [],
      found.join(", "),
    );
    assert.deepEqual((toOlder(translated) as { status?: unknown }).status, object.status);
  });
