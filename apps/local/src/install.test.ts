import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { CustomResourceDefinition, type KubeClient } from "@trivium/kube";
import { embeddedDefinitions } from "./definitions.ts";
import { installDefinitions, seedDefinitions } from "./install.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const definitions = await embeddedDefinitions();

async function startServer(isSeeded: boolean): Promise<{ client: KubeClient; close: () => Promise<void> }> {
  const store = openMemoryStore();
  const resources = builtInResources();
  if (isSeeded) await seedDefinitions(store, resources, definitions, now);
  const api = createApi({ store, resources, clock: () => now });
  await api.ready;
  const client = createClient(api.transport({ user: "tester", groups: ["system:masters"] }));
  return { client, close: () => api.close() };
}

/** Without what differs from one server to the next, who wrote it, and lists of properties that have none, which a server drops. */
function contentOf({ metadata, ...rest }: CustomResourceDefinition): unknown {
  const { uid: _, resourceVersion: __, managedFields: ___, ...kept } = metadata;
  const isEmpty = (key: string, value: unknown) => key === "properties" && Object.keys(value as object).length === 0;
  const text = JSON.stringify({ ...rest, metadata: kept }, (key, value) => (isEmpty(key, value) ? undefined : value));
  return JSON.parse(text);
}

test("a new home has the definitions as a server that was given them, which checks them, and none is written again", async () => {
  const [seeded, given] = [await startServer(true), await startServer(false)];
  try {
    assert.deepEqual(await installDefinitions(seeded.client, definitions), []);
    const names = definitions.map(({ metadata }) => metadata.name);
    assert.deepEqual(await installDefinitions(given.client, definitions), names);
    for (const name of names) {
      const [one, other] = [seeded, given].map(({ client }) =>
        client.get(CustomResourceDefinition, { name: name ?? "" }),
      );
      assert.deepEqual(contentOf((await one) as never), contentOf((await other) as never));
    }
  } finally {
    await seeded.close();
    await given.close();
  }
});
