import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  builtInResources,
  createApi,
  loadOrCreateIdentity,
  openMemoryStore,
  serveHttps,
  writeKubeconfig,
} from "@trivium/apiserver";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { ConfigMap, type WatchEvent } from "@trivium/kube";
import { createRuntime } from "@trivium/runtime";
import { turns } from "../src/index.ts";

test("client and runtime cannot tell the embedded server from a cluster: the same calls, over TLS and a kubeconfig", async () => {
  const home = await mkdtemp(join(tmpdir(), "trivium-https-"));
  const api = createApi({ store: openMemoryStore(), resources: builtInResources() });
  const identity = await loadOrCreateIdentity(join(home, "identity"));
  const server = await serveHttps(api, { identity });
  const credential = { is: "certificate", pair: identity.admin } as const;
  await writeKubeconfig(join(home, "config"), { server: server.url, authority: identity.authority, credential });
  const transport = httpTransport(await loadKubeconfig(join(home, "config")));
  try {
    const client = createClient(transport);
    const served = await client.discover();
    assert.ok(served.some(({ plural, subresources }) => plural === "pods" && subresources.includes("log")));
    const stop = new AbortController();
    const observed: string[] = [];
    const watching = (async () => {
      const options = { namespace: "default", signal: stop.signal, labelSelector: "observed=yes" };
      for await (const event of client.watch(ConfigMap, options)) observed.push(nameOf(event));
    })();
    const labels = { observed: "yes" };
    const object: ConfigMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "żółw", namespace: "default", labels },
    };
    await assert.rejects(client.create(ConfigMap, object), { reason: "Invalid" });
    await client.apply(
      ConfigMap,
      { ...object, metadata: { ...object.metadata, name: "turtle" } },
      { fieldManager: "test" },
    );
    while (observed.length < 1) await turns();
    const runtime = createRuntime({
      client,
      reconcilers: [
        {
          name: "test.reader",
          kind: ConfigMap,
          reads: [],
          writes: [],
          observe: () => null,
          decide: () => ({ do: "hold", status: {} }),
        },
      ],
    });
    await runtime.start();
    assert.ok(runtime.caches.of(ConfigMap).get({ namespace: "default", name: "turtle" }));
    await client.delete(ConfigMap, { namespace: "default", name: "turtle" });
    while (observed.length < 2 || runtime.caches.of(ConfigMap).get({ namespace: "default", name: "turtle" }))
      await turns();
    assert.deepEqual(observed, ["ADDED turtle", "DELETED turtle"]);
    await runtime.stop();
    stop.abort();
    await watching;
  } finally {
    await transport.close();
    await server.close();
    await api.close();
    await rm(home, { recursive: true });
  }
});

function nameOf(event: WatchEvent<ConfigMap>): string {
  return event.type === "BOOKMARK" ? "BOOKMARK" : `${event.type} ${event.object.metadata.name}`;
}
