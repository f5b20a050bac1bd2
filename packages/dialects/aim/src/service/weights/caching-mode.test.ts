import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "../names/names.ts";
import { type CachingMode, cachingModeOf } from "./caching-mode.ts";

const modeOf = (spec: Service["spec"]): CachingMode =>
  cachingModeOf({ apiVersion: "aim.silogen.ai/v1alpha1", kind: "AIMService", metadata: { name: "s" }, spec });
const weights = { modelSources: [{ modelId: "a/b", sourceUri: "hf://a/b" }], hardware: { cpu: { requests: "1" } } };

test("caching modes, their older names, and the default", () => {
  const table: readonly [Service["spec"], CachingMode][] = [
    [{ caching: { mode: "Shared" } }, "Shared"],
    [{ caching: { mode: "Dedicated" } }, "Dedicated"],
    [{ caching: { mode: "Always" } }, "Shared"],
    [{ caching: { mode: "Never" } }, "Dedicated"],
    [{ caching: { mode: "Auto" } }, "Auto"],
    [{ cacheModel: true }, "Shared"],
    [{ cacheModel: false }, "Auto"],
    [{ cacheModel: true, caching: { mode: "Never" } }, "Dedicated"],
    [{ model: { ref: "m" } }, "Auto"],
    [{ model: { custom: weights } }, "Dedicated"],
    [{ model: { custom: weights }, cacheModel: true }, "Shared"],
  ];
  for (const [spec, mode] of table) assert.equal(modeOf(spec), mode, JSON.stringify(spec));
});
