import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { Pod } from "@trivium/kube";
import { debianPackages, searchPathOf } from "@trivium/testkit";
import { isReady, reached, startNode, urlOf } from "./setup-node.ts";

test("a redis keeps its data in its volume, and its exec probe finds it", async (t) => {
  const redis = await debianPackages("redis-server");
  if (redis.is === "missing") return t.skip(`skipped: ${redis.why}`);
  const { LD_LIBRARY_PATH: libraryPath } = redis.environment;
  const stage = await startNode(t, { searchPath: searchPathOf(redis), libraryPath });
  await stage.pod(
    "redis",
    {
      image: "redis:7.2.4",
      command: ["redis-server", "--appendonly", "yes", "--save", "60 1"],
      ports: [{ containerPort: 6379 }],
      readinessProbe: { exec: { command: ["redis-cli", "ping"] }, periodSeconds: 1 },
      volumeMounts: [{ name: "d", mountPath: "/data" }],
    },
    { volumes: [{ name: "d", emptyDir: {} }] },
  );
  await reached(stage, (pods) => pods.every(isReady));
  const [pod] = (await stage.client.list(Pod, { namespace: "default" })).items;
  assert.ok(pod !== undefined);
  const { hostname, port } = new URL(urlOf(pod, 6379));
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  socket.write("CONFIG GET dir\r\n");
  const [answer] = await Promise.all([
    new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data)))),
  ]);
  assert.match(answer, new RegExp(`/rooms/${pod.metadata.uid}/volumes/d\\r\\n`));
});
