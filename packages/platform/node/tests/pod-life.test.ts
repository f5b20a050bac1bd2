import assert from "node:assert/strict";
import { test } from "node:test";
import { Event, findCondition, Job, ownerReferenceTo, Pod } from "@trivium/kube";
import { stagedSandbox } from "../src/index.ts";
import { startStage } from "./stage.ts";

/** What a person sees of a pod in one line. */
const glance = (pod: Pod | undefined): string => {
  const { status } = pod ?? {};
  const [first] = status?.containerStatuses ?? [];
  const [[what, detail] = ["-", {}]] = Object.entries(first?.state ?? {});
  const { reason = "" } = (detail ?? {}) as { reason?: string };
  return `${status?.phase} ${what}${reason === "" ? "" : `:${reason}`} ready=${first?.ready} restarts=${first?.restartCount}`;
};

test("a pod is created, pulled, run and ready, with the status a kubelet writes", async (t) => {
  const stage = await startStage(t);
  await stage.agent();
  await stage.create("web");
  await stage.elapse(0);
  assert.equal(glance(await stage.get("web")), "Pending waiting:ContainerCreating ready=false restarts=0");
  await stage.elapse(250);
  assert.equal(glance(await stage.get("web")), "Running running ready=false restarts=0");
  const { status: running } = (await stage.get("web")) ?? {};
  assert.deepEqual(
    running?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
    [
      ["PodReadyToStartContainers", "True", undefined, undefined],
      ["Initialized", "True", undefined, undefined],
      ["Ready", "False", "ContainersNotReady", "containers with unready status: [main]"],
      ["ContainersReady", "False", "ContainersNotReady", "containers with unready status: [main]"],
      ["PodScheduled", "True", undefined, undefined],
    ],
  );
  await stage.elapse(1_000);
  const pod = await stage.get("web");
  assert.equal(glance(pod), "Running running ready=true restarts=0");
  const { status } = pod ?? {};
  assert.deepEqual(
    [status?.podIP, status?.podIPs, status?.hostIP, status?.startTime, status?.qosClass, status?.observedGeneration],
    ["10.244.1.2", [{ ip: "10.244.1.2" }], "127.0.0.1", "2026-01-01T00:00:00Z", "BestEffort", 1],
  );
  const ready = findCondition(status?.conditions, "Ready");
  assert.deepEqual([ready?.status, ready?.reason, ready?.message], ["True", undefined, undefined]);
  const { items } = await stage.client.list(Event, { namespace: "default" });
  assert.deepEqual(items.map(({ reason }) => reason).sort(), ["Created", "Pulled", "Pulling", "Started"]);
  assert.deepEqual(stage.failures, []);
});

test("a pod of a Job completes, and one that fails stays failed", async (t) => {
  const stage = await startStage(t);
  await stage.agent();
  const template = {
    spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "example/app:1" }] },
  };
  const job = await stage.client.create(Job, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "job", namespace: "default" },
    spec: { template },
  });
  await stage.create("good", { restartPolicy: "Never" }, { ownerReferences: [ownerReferenceTo(job)] });
  await stage.create("bad", { restartPolicy: "Never" }, { annotations: { "trivium.dev/stage": "fails" } });
  await stage.elapse(5_000);
  const good = await stage.get("good");
  assert.equal(glance(good), "Succeeded terminated:Completed ready=false restarts=0");
  assert.equal(findCondition(good?.status?.conditions, "Ready")?.reason, "PodCompleted");
  const bad = await stage.get("bad");
  assert.equal(glance(bad), "Failed terminated:Error ready=false restarts=0");
  assert.equal(bad?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 1);
  assert.deepEqual(await stage.log("bad"), ["error: this container fails"]);
});

test("a crash loop waits longer each time, and shows the log of the run before", async (t) => {
  const stage = await startStage(t);
  const life = (text: string) => ({ log: [{ text }], exit: { after: "100ms", code: 3 } });
  await stage.agent({}, { stages: [{ name: "lives", life: [life("first"), life("second"), life("third")] }] });
  await stage.create("loop");
  await stage.elapse(50);
  assert.deepEqual(await stage.log("loop"), ["first"]);
  await stage.elapse(100);
  assert.equal(glance(await stage.get("loop")), "Running running ready=true restarts=1");
  assert.deepEqual(await stage.log("loop"), ["second"]);
  assert.deepEqual(await stage.log("loop", { previous: true }), ["first"]);
  await stage.elapse(100);
  const resting = await stage.get("loop");
  assert.equal(glance(resting), "Running waiting:CrashLoopBackOff ready=false restarts=1");
  const { uid } = resting?.metadata ?? {};
  assert.equal(
    resting?.status?.containerStatuses?.[0]?.state?.waiting?.message,
    `back-off 10s restarting failed container=main pod=loop_default(${uid})`,
  );
  assert.deepEqual(await stage.log("loop"), ["second"], "while it waits, the last run is the one to read");
  await stage.elapse(10_000);
  assert.equal(glance(await stage.get("loop")), "Running running ready=true restarts=2");
  await stage.elapse(20_000);
  assert.equal(glance(await stage.get("loop")), "Running waiting:CrashLoopBackOff ready=false restarts=2");
  await stage.elapse(300);
  assert.equal((await stage.get("loop"))?.status?.containerStatuses?.[0]?.restartCount, 3);
});

test("OnFailure restarts what fails and leaves what succeeds", async (t) => {
  const stage = await startStage(t);
  const lives = [{ exit: { after: "100ms", code: 1 } }, { exit: { after: "100ms", code: 0 } }];
  await stage.agent({}, { stages: [{ name: "twice", life: lives }] });
  await stage.create("task", { restartPolicy: "OnFailure" });
  await stage.elapse(1_000);
  assert.equal(glance(await stage.get("task")), "Succeeded terminated:Completed ready=false restarts=1");
});

test("an image that cannot be pulled is tried again and again", async (t) => {
  const stage = await startStage(t);
  await stage.agent();
  await stage.create("ghost", {}, { annotations: { "trivium.dev/stage": "image-pull-error" } });
  await stage.elapse(300);
  assert.equal(glance(await stage.get("ghost")), "Pending waiting:ErrImagePull ready=false restarts=0");
  await assert.rejects(stage.log("ghost"), /is waiting to start: image can't be pulled/);
  await stage.elapse(2_000);
  assert.equal(glance(await stage.get("ghost")), "Pending waiting:ImagePullBackOff ready=false restarts=0");
  await assert.rejects(stage.log("ghost"), /is waiting to start: trying and failing to pull image/);
  await stage.elapse(9_200);
  assert.equal(glance(await stage.get("ghost")), "Pending waiting:ErrImagePull ready=false restarts=0");
});

test("init containers run one after the other, sidecars beside them, and a sidecar ends after the mains", async (t) => {
  const stage = await startStage(t);
  await stage.agent(
    {},
    { stages: [{ name: "main", match: { container: "main" }, life: { exit: { after: "1s", code: 0 } } }] },
  );
  await stage.create("staged", {
    restartPolicy: "Never",
    initContainers: [
      { name: "fetch", image: "i" },
      { name: "proxy", image: "p", restartPolicy: "Always" },
      { name: "warm", image: "w" },
    ],
  });
  const states = async () => {
    const { status } = (await stage.get("staged")) ?? {};
    const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    return `${status?.phase} ${all.map(({ name, state }) => `${name}=${Object.keys(state ?? {})}`).join(" ")}`;
  };
  await stage.elapse(150);
  assert.equal(await states(), "Pending fetch=running proxy=waiting warm=waiting main=waiting");
  const initial = findCondition((await stage.get("staged"))?.status?.conditions, "Initialized");
  assert.equal(initial?.message, "containers with incomplete status: [fetch proxy warm]");
  await stage.elapse(100);
  await stage.elapse(200);
  assert.equal(await states(), "Pending fetch=terminated proxy=running warm=waiting main=waiting");
  await stage.elapse(250);
  assert.equal(await states(), "Running fetch=terminated proxy=running warm=terminated main=running");
  await stage.elapse(1_100);
  assert.equal(await states(), "Succeeded fetch=terminated proxy=terminated warm=terminated main=terminated");
});

test("an init container that fails for good fails the pod", async (t) => {
  const stage = await startStage(t);
  await stage.agent(
    {},
    { stages: [{ name: "bad init", match: { role: "init" }, life: { exit: { after: "10ms", code: 7 } } }] },
  );
  await stage.create("doomed", { restartPolicy: "Never", initContainers: [{ name: "check", image: "i" }] });
  await stage.elapse(1_000);
  assert.equal(glance(await stage.get("doomed")), "Failed waiting:PodInitializing ready=false restarts=0");
});

test("a deleted pod is stopped within its grace period and then goes", async (t) => {
  const stage = await startStage(t);
  const agent = await stage.agent();
  await stage.create("quick");
  await stage.create(
    "slow",
    { terminationGracePeriodSeconds: 2 },
    { annotations: { "trivium.dev/stage": "stops-slowly" } },
  );
  await stage.elapse(1_000);
  const [quick, slow] = [
    { namespace: "default", name: "quick" },
    { namespace: "default", name: "slow" },
  ];
  const kind = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
  await stage.client.delete(kind, quick);
  await stage.client.delete(kind, slow);
  await stage.elapse(500);
  assert.equal(await stage.get("quick"), undefined);
  assert.equal(glance(await stage.get("slow")), "Running running ready=true restarts=0");
  await stage.elapse(2_000);
  assert.equal(await stage.get("slow"), undefined);
  assert.equal(agent.size, 0);
  await stage.create("again");
  await stage.elapse(1_000);
  await stage.client.delete(kind, { namespace: "default", name: "again" }, { gracePeriodSeconds: 0 });
  await stage.elapse(100);
  assert.equal(agent.size, 0, "a pod that was deleted by force is forgotten too");
  assert.deepEqual(stage.failures, []);
});

test("a pod that lives too long is ended, and says so", async (t) => {
  const stage = await startStage(t);
  await stage.agent();
  await stage.create("late", { activeDeadlineSeconds: 5, restartPolicy: "Never" });
  await stage.elapse(6_000);
  const { status } = (await stage.get("late")) ?? {};
  assert.deepEqual([status?.phase, status?.reason], ["Failed", "DeadlineExceeded"]);
});

test("a readiness gate holds the pod back until somebody opens it", async (t) => {
  const stage = await startStage(t);
  await stage.agent();
  const pod = await stage.create("gated", { readinessGates: [{ conditionType: "example.com/open" }] });
  await stage.elapse(1_000);
  const ready = async () => findCondition((await stage.get("gated"))?.status?.conditions, "Ready");
  assert.equal((await ready())?.reason, "ReadinessGatesNotReady");
  const conditions = [{ type: "example.com/open", status: "True" }];
  await stage.client.patch(
    { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true },
    { namespace: "default", name: pod.metadata.name ?? "" },
    { type: "strategic", body: { status: { conditions } } },
    { subresource: "status" },
  );
  await stage.elapse(100);
  assert.equal((await ready())?.status, "True");
});

test("Ready that the node controller set to False while heartbeats were late is set to True again", async (t) => {
  const stage = await startStage(t);
  await stage.agent();
  await stage.create("web");
  await stage.elapse(1_000);
  const before = await stage.get("web");
  await stage.elapse(60_000);
  const conditions = [{ type: "Ready", status: "False" }];
  await stage.client.patch(
    Pod,
    { namespace: "default", name: "web" },
    { type: "strategic", body: { status: { conditions } } },
    { subresource: "status" },
  );
  await stage.elapse(100);
  const ready = findCondition((await stage.get("web"))?.status?.conditions, "Ready");
  assert.deepEqual([ready?.status, ready?.lastTransitionTime], ["True", "2026-01-01T00:01:01Z"]);
  assert.equal(glance(await stage.get("web")), glance(before));
});

test("an agent that comes back takes its pods up where they are", async (t) => {
  const stage = await startStage(t);
  const stages = [
    { name: "task", match: { container: "task" }, life: { log: [{ text: "begun" }], exit: { after: "30s", code: 0 } } },
  ];
  const first = await stage.agent({}, { stages });
  await stage.create("web");
  await stage.create("task", { restartPolicy: "Never", containers: [{ name: "task", image: "t" }] });
  await stage.create("done", { restartPolicy: "Never" }, { annotations: { "trivium.dev/stage": "completes" } });
  await stage.elapse(10_000);
  const before = await Promise.all(["web", "task", "done"].map((name) => stage.get(name)));
  await first.stop();
  await stage.elapse(5_000);
  await stage.create("new");
  await stage.agent({}, { stages });
  await stage.elapse(2_000);
  const after = await Promise.all(["web", "task", "done"].map((name) => stage.get(name)));
  assert.deepEqual(
    after.map((pod) => pod?.status),
    before.map((pod) => pod?.status),
    "nothing about them changed",
  );
  assert.equal(glance(await stage.get("new")), "Running running ready=true restarts=0");
  assert.notEqual((await stage.get("new"))?.status?.podIP, before[0]?.status?.podIP);
  assert.deepEqual(await stage.log("task"), ["begun"]);
  await stage.elapse(14_000);
  const { terminated } = (await stage.get("task"))?.status?.containerStatuses?.[0]?.state ?? {};
  assert.deepEqual([terminated?.exitCode, terminated?.finishedAt], [0, "2026-01-01T00:00:30Z"]);
});

test("fields that nobody here knows, and odd shapes, do no harm", async (t) => {
  const stage = await startStage(t);
  await stage.agent();
  await stage.create("odd", {
    hostNetwork: true,
    volumes: [{ name: "v", csi: { driver: "x" } }],
    containers: [
      {
        name: "main",
        image: "a:b@sha256:c",
        resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } },
      },
    ],
  } as never);
  await stage.elapse(1_000);
  const { status } = (await stage.get("odd")) ?? {};
  assert.deepEqual([status?.phase, status?.podIP, status?.qosClass], ["Running", "127.0.0.1", "Guaranteed"]);
});

test("a pod that is deleted while no agent runs is ended in order by the next one", async (t) => {
  const stage = await startStage(t);
  const first = await stage.agent();
  await stage.create("left", {}, { annotations: { "trivium.dev/stage": "stops-slowly" } });
  await stage.elapse(1_000);
  await first.stop();
  const kind = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
  await stage.client.delete(kind, { namespace: "default", name: "left" });
  await stage.agent();
  await stage.elapse(2_000);
  assert.equal(glance(await stage.get("left")), "Running running ready=true restarts=0", "it has its grace");
  await stage.elapse(4_000);
  assert.equal(await stage.get("left"), undefined);
});

test("a node without addresses lets pods wait, says why, and lets them in when others go", async (t) => {
  const stage = await startStage(t);
  const sandbox = stagedSandbox({ clock: stage.clock, podCidr: "10.9.9.0/30" });
  await stage.agent({}, { sandbox });
  await stage.create("first");
  await stage.elapse(1_000);
  await stage.create("second");
  await stage.elapse(1_000);
  assert.equal(glance(await stage.get("second")), "Pending waiting:ContainerCreating ready=false restarts=0");
  const { items } = await stage.client.list(Event, { namespace: "default" });
  assert.ok(
    items.some(({ reason, message }) => reason === "FailedCreatePodSandBox" && /no free address/.test(message ?? "")),
  );
  const kind = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
  await stage.client.delete(kind, { namespace: "default", name: "first" });
  await stage.elapse(12_000);
  assert.equal(glance(await stage.get("second")), "Running running ready=true restarts=0");
});
