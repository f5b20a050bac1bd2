import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Event, Pod } from "@trivium/kube";
import { systemClock } from "@trivium/runtime";
import { LogBook, NodeAgent, parseImageRows, processSandbox } from "../src/index.ts";
import { type RoomsStage, startRoomsStage } from "./rooms-stage.ts";

/** The whole node: agent, processes, rooms. Time is real here, as processes are. */
async function startNode(t: TestContext): Promise<RoomsStage> {
  const stage = await startRoomsStage(t);
  const images = parseImageRows([
    { match: "acme/web", command: [process.execPath, "-e", webServer], host: "WEB_HOST", port: { env: "WEB_PORT" } },
  ]);
  const rooms = await stage.rooms({ clock: systemClock, images });
  const onTrouble = (what: string, error: unknown) => stage.troubles.push(`${what}: ${error}`);
  const sandbox = await processSandbox({ root: stage.root, rooms, onTrouble });
  const logs = new LogBook(() => Date.now());
  const profile = { name: "here", address: "127.0.0.1" };
  const agent = new NodeAgent({ profile, client: stage.client, sandbox, logs, onTrouble });
  await agent.start();
  t.after(async () => {
    const { items } = await stage.client.list(Pod, { namespace: "default" });
    for (const { metadata } of items) {
      const gone = stage.client.delete(
        Pod,
        { namespace: "default", name: metadata.name ?? "" },
        { gracePeriodSeconds: 1 },
      );
      await gone.catch(() => undefined);
    }
    await reached(stage, () => agent.size === 0);
    await agent.stop();
  });
  return stage;
}

const webServer = `
  const { WEB_HOST, WEB_PORT, GREETING } = process.env;
  require("node:http").createServer((_, response) => response.end(GREETING)).listen(Number(WEB_PORT), WEB_HOST);
`;

/** Waits for a change of some pod after which something is so. */
async function reached(stage: RoomsStage, isSo: (pods: readonly Pod[]) => boolean): Promise<void> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), 20_000);
  try {
    const { items, metadata } = await stage.client.list(Pod, { namespace: "default" });
    const pods = new Map(items.map((pod) => [pod.metadata.name, pod]));
    if (isSo([...pods.values()])) return;
    const version = metadata.resourceVersion ?? "0";
    for await (const event of stage.client.watch(Pod, {
      namespace: "default",
      resourceVersion: version,
      signal: end.signal,
    })) {
      if (event.type === "BOOKMARK") continue;
      if (event.type === "DELETED") pods.delete(event.object.metadata.name);
      else pods.set(event.object.metadata.name, event.object);
      // The agent hears of it by a watch of its own.
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (isSo([...pods.values()])) return;
    }
    assert.fail(JSON.stringify([...pods.values()].map(({ status }) => status)));
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}

test("two pods with the same port serve side by side, with their Secrets and volumes", async (t) => {
  const stage = await startNode(t);
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
  const isReady = ({ status }: Pod) =>
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
  await reached(stage, (pods) => pods.length === 2 && pods.every(isReady));
  const { items } = await stage.client.list(Pod, { namespace: "default" });
  const at = items.map(({ metadata, status }) => {
    const moved = JSON.parse(metadata.annotations?.["trivium.dev/ports"] ?? "{}") as Record<string, number>;
    return `http://${status?.podIP}:${moved[18123] ?? 18123}`;
  });
  assert.equal(new Set(at).size, 2);
  for (const url of at) assert.equal(await (await fetch(url)).text(), "hello");
  assert.deepEqual(stage.troubles, []);
});

test("a pod whose Secret is missing says so and starts as soon as it is there", async (t) => {
  const stage = await startNode(t);
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
  const stage = await startNode(t);
  await stage.pod(
    "mounts",
    { command: ["true"] },
    { restartPolicy: "Never", volumes: [{ name: "v", configMap: { name: "late" } }] },
  );
  await stage.pod("odd", { image: "acme/erp:1" });
  const waits = (pods: readonly Pod[]) =>
    pods.some(({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === "ImagePullBackOff");
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
