import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { CustomResourceDefinition, emitCrd } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { openShadow } from "./shadow.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

/** Without what differs from one server to the next, who wrote it, and lists of properties that have none, which a server drops. */
function contentOf({ metadata, ...rest }: CustomResourceDefinition): unknown {
  const { uid: _, resourceVersion: __, managedFields: ___, ...kept } = metadata;
  const isEmpty = (key: string, value: unknown) => key === "properties" && Object.keys(value as object).length === 0;
  const text = JSON.stringify({ ...rest, metadata: kept }, (key, value) => (isEmpty(key, value) ? undefined : value));
  return JSON.parse(text);
}

test("a copy in memory has our definitions as a server that was given them, which checks them", async () => {
  const store = openMemoryStore();
  const api = createApi({ store, resources: builtInResources(), clock: () => now });
  await api.ready;
  const server = createClient(api.transport({ user: "tester", groups: ["system:masters"] }));
  const shadow = await openShadow({ now, objects: [], answers: [], unreadable: [], served: [] }, { dialects });
  try {
    for (const kind of dialects.flatMap(({ kinds }) => kinds)) {
      const created = await server.create(CustomResourceDefinition, emitCrd(kind));
      const ref = { name: created.metadata.name ?? "" };
      await api.idle();
      assert.deepEqual(
        contentOf(await shadow.client.get(CustomResourceDefinition, ref)),
        contentOf(await server.get(CustomResourceDefinition, ref)),
      );
      assert.deepEqual((await shadow.client.list(kind)).items, []);
    }
  } finally {
    await shadow.close();
    await api.close();
  }
});
