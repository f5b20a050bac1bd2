import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { Pod } from "@trivium/kube";
import { which } from "../src/images/local-machine.ts";
import { usualSearchPath } from "../src/rooms/rooms-options.ts";
import { isReady, reached, startNode, urlOf } from "./rooms-node.ts";

const isInstalled = ["redis-server", "valkey-server"].some((program) => which(program, usualSearchPath) !== undefined);
const skip = isInstalled ? false : "skipped: neither redis-server nor valkey-server is on the PATH";

test("a redis keeps its data in its volume, and its exec probe finds it", { skip }, async (t) => {
  const stage = await startNode(t);
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
