import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { Pod } from "@trivium/kube";
import { embeddedDefinitions } from "./definitions.ts";
import { installDefinitions } from "./install.ts";
import { prepare } from "./operators.ts";

test("services of all dialects are peers: a pod without a class ranks like a service of LLMKube that asks for nothing", async (t) => {
  const server = createApi({ store: openMemoryStore(), resources: builtInResources() });
  await server.ready;
  t.after(() => server.close());
  const client = createClient(server.transport({ user: "test", groups: ["system:masters"] }));
  await installDefinitions(client, await embeddedDefinitions());
  await prepare(client, 8080);
  const priorityOf = async (name: string, priorityClassName?: string): Promise<number | undefined> => {
    const spec = { containers: [{ name: "c", image: "i" }], ...(priorityClassName ? { priorityClassName } : {}) };
    const metadata = { name, namespace: "default" };
    const pod = await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata, spec });
    return pod.spec?.priority;
  };
  assert.equal(await priorityOf("of-another-dialect"), await priorityOf("of-llmkube", "llmkube-normal"));
  assert.equal(await priorityOf("asks-for-more", "llmkube-high"), 100_000);
});
