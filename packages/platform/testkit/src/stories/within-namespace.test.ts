import assert from "node:assert/strict";
import { test } from "node:test";
import { Namespace, Secret } from "@trivium/kube";
import { startCluster } from "../cluster.ts";
import { withinNamespaces } from "./within-namespace.ts";

const secret = (namespace: string): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "here", namespace },
});

for (const namespaces of [["a"], ["a", "b"]])
  test(`of namespaced kinds only what is in ${namespaces.join(" and ")} is seen, and all of the others`, async (t) => {
    const { client, close } = await startCluster();
    t.after(close);
    for (const name of ["a", "b", "c"]) {
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
      await client.create(Secret, secret(name));
    }
    const narrow = withinNamespaces(client, namespaces);
    const { items } = await narrow.list(Secret);
    assert.deepEqual(items.map(({ metadata }) => metadata.namespace).sort(), namespaces);
    assert.ok((await narrow.list(Namespace)).items.some(({ metadata }) => metadata.name === "c"));

    const ending = new AbortController();
    const observed: (string | undefined)[] = [];
    for await (const event of narrow.watch(Secret, { signal: ending.signal, resourceVersion: "0" })) {
      if (event.type === "BOOKMARK") continue;
      observed.push(event.object.metadata.namespace);
      if (observed.length === namespaces.length) break;
    }
    ending.abort();
    assert.deepEqual(observed.sort(), namespaces);
  });
