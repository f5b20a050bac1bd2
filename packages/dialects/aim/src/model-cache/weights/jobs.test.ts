import assert from "node:assert/strict";
import { test } from "node:test";
import type { api } from "@trivium/kube";
import { defaultOptions } from "../../options.ts";
import { noSettings } from "../../runtime-config/settings/merge-settings.ts";
import type { ModelCache } from "../names/names.ts";
import { planDownload, planMeasure } from "./jobs.ts";

const containersOf = (sourceUri: string): (api.Container | undefined)[] => {
  const cache = { metadata: { name: "c", namespace: "n", uid: "u" }, spec: { sourceUri } } as unknown as ModelCache;
  const options = { ...defaultOptions, localRoots: ["/cache", "/home", "/tmp"] };
  const input = { cache, observed: {}, claimName: "c", settings: noSettings, options, attempt: 0 };
  return [planMeasure(input), planDownload(input)].map(({ pod }) => pod.spec.containers[0]);
};

test("a folder of the node never has the place of a folder of the container", () => {
  for (const [uri, address] of [
    ["file:///home/me/x.gguf", "/home/me/x.gguf"],
    ["file:///tmp/x.gguf", "/node/tmp/x.gguf"],
    ["file:///cache/x.gguf", "/node/cache/x.gguf"],
  ] as const)
    for (const container of containersOf(uri)) {
      const places = container?.volumeMounts?.map(({ mountPath }) => mountPath) ?? [];
      assert.deepEqual(places, [...new Set(places)], `${uri}: each place once`);
      assert.equal(container?.args?.[1], address);
      const roots = container?.env?.find(({ name }) => name === "TRIVIUM_WEIGHTS_ROOTS")?.value ?? "";
      assert.ok(address.startsWith(`${roots}/`), `${uri}: ${roots} can be read`);
    }
});
