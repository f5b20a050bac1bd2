import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInResources } from "../../src/built-in/index.ts";
import { createApi } from "../../src/server.ts";
import { openMemoryStore } from "../../src/store/index.ts";

const path = "/api/v1/namespaces/default/pods";

test("ephemeral containers are added by their subresource, and stay as they are", async () => {
  const api = createApi({ store: openMemoryStore(), resources: builtInResources() });
  await api.ready;
  const transport = api.transport({ user: "admin", groups: ["system:masters"] });
  const send = async (method: "POST" | "PATCH", to: string, body: object) => {
    const type = method === "POST" ? "application/json" : "application/strategic-merge-patch+json";
    const answer = await transport({ method, path: to, headers: { "content-type": type }, body: JSON.stringify(body) });
    return { status: answer.status, body: JSON.parse(answer.body as string) };
  };
  const spec = { containers: [{ name: "main", image: "i" }] };
  await send("POST", path, { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec });
  const add = (container: object, more: object = {}) =>
    send("PATCH", `${path}/web/ephemeralcontainers`, { spec: { ephemeralContainers: [container], ...more } });

  const added = await add({ name: "look", image: "busybox", targetContainerName: "main" }, { nodeName: "elsewhere" });
  assert.equal(added.status, 200, JSON.stringify(added.body));
  assert.deepEqual(
    added.body.spec.ephemeralContainers.map(({ name }: { name: string }) => name),
    ["look"],
  );
  assert.equal(added.body.spec.nodeName, undefined, "nothing else of the pod is changed");
  const refusals: [object, RegExp][] = [
    [{ name: "look", image: "other" }, /existing ephemeral containers "look" may not be changed/],
    [{ name: "main", image: "i" }, /Duplicate value: "main"/],
    [{ name: "more", image: "i", targetContainerName: "none" }, /targetContainerName: Not found: "none"/],
    [{ name: "more", image: "i", ports: [{ containerPort: 80 }] }, /ports: Forbidden: cannot be set for an Ephemeral/],
    [{ name: "more" }, /image: Required value/],
  ];
  for (const [container, message] of refusals) {
    const { status, body } = await add(container);
    assert.equal(status, 422, JSON.stringify(body));
    assert.match(body.message, message);
  }
  await api.close();
});
