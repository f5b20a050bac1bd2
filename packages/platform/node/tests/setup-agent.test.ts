import assert from "node:assert/strict";
import { test } from "node:test";
import { Event, Pod } from "@trivium/kube";
import { parseImageRows } from "../src/index.ts";
import { isReady, reached, startNode, urlOf } from "./setup-node.ts";

const webServer = `
  const { WEB_HOST, WEB_PORT, GREETING } = process.env;
  require("node:http").createServer((_, response) => response.end(GREETING)).listen(Number(WEB_PORT), WEB_HOST);
`;

const images = parseImageRows([
  { match: "acme/web", command: [process.execPath, "-e", webServer], host: "WEB_HOST", port: { env: "WEB_PORT" } },
]);

for (const addresses of ["auto", "shared"] as const) {
  test(`two pods with the same port serve side by side: addresses ${addresses}`, async (t) => {
    const stage = await startNode(t, { images, addresses });
    await stage.secret("words", { greeting: "hello" });
    for (const name of ["a", "b"]) {
      await stage.pod(name, {
        image: "acme/web:1",
        env: [
          { name: "WEB_PORT", value: "18123" },
          { name: "GREETING", valueFrom: { secretKeyRef: { name: "words", key: "greeting" } } },
        ],
        ports: [{ containerPort: 18123 }],
        readinessProbe: { httpGet: { port: 18123 }, periodSeconds: 1 },
      });
    }
    await reached(stage, (pods) => pods.length === 2 && pods.every(isReady));
    const { items } = await stage.client.list(Pod, { namespace: "default" });
    const at = items.map((pod) => urlOf(pod, 18123));
    assert.equal(new Set(at).size, 2);
    for (const url of at) assert.equal(await (await fetch(url)).text(), "hello");
    assert.deepEqual(stage.failures, []);
  });
}

test("a pod whose Secret is missing says so and starts as soon as it is there", async (t) => {
  const stage = await startNode(t, { images });
  const env = [{ name: "K", valueFrom: { secretKeyRef: { name: "late", key: "k" } } }];
  await stage.pod("waits", { command: ["sh", "-c", "exit 3"], env }, { restartPolicy: "Never" });
  const stateOf = ([pod]: readonly Pod[]) => pod?.status?.containerStatuses?.[0]?.state;
  await reached(stage, (pods) => stateOf(pods)?.waiting?.reason === "CreateContainerConfigError");
  const { items } = await stage.client.list(Pod, { namespace: "default" });
  assert.equal(stateOf(items)?.waiting?.message, 'secret "late" not found');
  await stage.secret("late", { k: "v" });
  await reached(stage, (pods) => stateOf(pods)?.terminated?.exitCode === 3);
});

test("a volume that cannot be mounted, and an image that cannot run, are seen in events", async (t) => {
  const stage = await startNode(t, { images });
  await stage.pod(
    "mounts",
    { command: ["true"] },
    { restartPolicy: "Never", volumes: [{ name: "v", configMap: { name: "late" } }] },
  );
  await stage.pod("odd", { image: "acme/erp:1" });
  const waits = (pods: readonly Pod[]) =>
    pods.some(({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === "ErrImageNeverPull");
  await reached(stage, waits);
  const events = (await stage.client.list(Event, { namespace: "default" })).items.map(
    ({ reason, message }) => `${reason}: ${message}`,
  );
  assert.ok(
    events.some((event) =>
      event.startsWith('FailedMount: MountVolume.SetUp failed for volume "v" : configmap "late" not found'),
    ),
    events.join("\n"),
  );
  assert.ok(
    events.some((event) => /^Failed: .*"acme\/erp:1" cannot run as a local process.*trivium\.yaml/.test(event)),
    events.join("\n"),
  );
  await stage.configMap("late", {});
  await reached(stage, (pods) => pods.some(({ status }) => status?.phase === "Succeeded"));
});
