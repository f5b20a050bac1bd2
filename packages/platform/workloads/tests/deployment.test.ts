import assert from "node:assert/strict";
import { test } from "node:test";
import { Deployment, findCondition, Pod, ReplicaSet } from "@trivium/kube";
import { deployment, ref, type Stage, setImage, startStage } from "./stage.ts";

/** `image size/ready revision` of each set, in the order of revisions. */
async function sets(stage: Stage): Promise<string[]> {
  const all = await stage.all(ReplicaSet);
  return all
    .map(({ metadata, spec, status }) => {
      const image = spec.template?.spec?.containers[0]?.image?.split(":")[1];
      return `${metadata.annotations?.["deployment.kubernetes.io/revision"]}: v${image} ${spec.replicas}/${status?.readyReplicas ?? 0}`;
    })
    .sort();
}

async function condition(stage: Stage, name: string, type: string) {
  const { status } = await stage.client.get(Deployment, ref(name));
  const found = findCondition(status?.conditions, type);
  return found && `${found.status} ${found.reason}: ${found.message}`.replace(/"web-.*?"/, '"web-#"');
}

test("pods come up, a new image rolls out step by step, and an object at rest is left alone", async (t) => {
  const stage = await startStage(t);
  await stage.node();
  await stage.client.create(Deployment, deployment("web", { replicas: 3 }));
  await stage.settle();
  assert.equal((await stage.all(Pod)).length, 3);
  assert.equal(
    await condition(stage, "web", "Progressing"),
    'True ReplicaSetUpdated: ReplicaSet "web-#" is progressing.',
  );
  assert.equal(
    await condition(stage, "web", "Available"),
    "False MinimumReplicasUnavailable: Deployment does not have minimum availability.",
  );
  await stage.elapse(5_000);
  assert.deepEqual(await sets(stage), ["1: v1 3/3"]);
  const { metadata, status } = await stage.client.get(Deployment, ref("web"));
  assert.deepEqual(
    { ...status, conditions: undefined },
    {
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      conditions: undefined,
    },
  );
  assert.equal(metadata.annotations?.["deployment.kubernetes.io/revision"], "1");
  assert.equal(
    await condition(stage, "web", "Progressing"),
    'True NewReplicaSetAvailable: ReplicaSet "web-#" has successfully progressed.',
  );
  stage.writes.length = 0;
  await stage.elapse(600_000);
  assert.deepEqual(stage.writes, []);

  await stage.client.patch(Deployment, ref("web"), setImage("example/web:2"));
  await stage.settle();
  assert.deepEqual(await sets(stage), ["1: v1 3/3", "2: v2 1/0"]);
  await stage.elapse(60_000);
  assert.deepEqual(await sets(stage), ["1: v1 0/0", "2: v2 3/3"]);
  assert.equal((await stage.all(Pod)).length, 3);
  const reported = (await stage.reported("web")).map((line) => line.replace(/web-\w+/, "web-#")).sort();
  assert.deepEqual(reported, [
    "ScalingReplicaSet Scaled down replica set web-# from 1 to 0",
    "ScalingReplicaSet Scaled down replica set web-# from 2 to 1",
    "ScalingReplicaSet Scaled down replica set web-# from 3 to 2",
    "ScalingReplicaSet Scaled up replica set web-# from 0 to 1",
    "ScalingReplicaSet Scaled up replica set web-# from 0 to 3",
    "ScalingReplicaSet Scaled up replica set web-# from 1 to 2",
    "ScalingReplicaSet Scaled up replica set web-# from 2 to 3",
  ]);
});

test("a rollout that never works is stuck after its deadline, and going back heals it", async (t) => {
  const stage = await startStage(t);
  await stage.node({}, [{ name: "broken", match: { image: "example/web:2" }, life: { ready: "24h" } }]);
  await stage.client.create(Deployment, deployment("web", { replicas: 3, progressDeadlineSeconds: 60 }));
  await stage.elapse(5_000);
  await stage.client.patch(Deployment, ref("web"), setImage("example/web:2"));
  await stage.elapse(55_000);
  assert.equal(
    await condition(stage, "web", "Progressing"),
    'True ReplicaSetUpdated: ReplicaSet "web-#" is progressing.',
  );
  stage.writes.length = 0;
  await stage.elapse(10_000);
  assert.equal(
    await condition(stage, "web", "Progressing"),
    'False ProgressDeadlineExceeded: ReplicaSet "web-#" has timed out progressing.',
  );
  assert.deepEqual(stage.writes, ["apply Deployment"], "the moment costs one write");
  assert.deepEqual(await sets(stage), ["1: v1 3/3", "2: v2 1/0"], "the old pods serve on");
  await stage.client.patch(Deployment, ref("web"), setImage("example/web:1"));
  await stage.elapse(10_000);
  assert.deepEqual(await sets(stage), ["2: v2 0/0", "3: v1 3/3"]);
  assert.match((await condition(stage, "web", "Progressing")) ?? "", /^True NewReplicaSetAvailable/);
});

test("Recreate ends all old pods before it makes a new one", async (t) => {
  const stage = await startStage(t);
  await stage.node({}, [{ name: "slow", life: { ready: "1s", stop: { after: "20s" } } }]);
  const slow = { strategy: { type: "Recreate" as const }, replicas: 2 };
  await stage.client.create(Deployment, deployment("web", slow));
  await stage.elapse(5_000);
  await stage.client.patch(Deployment, ref("web"), setImage("example/web:2"));
  await stage.elapse(10_000);
  assert.deepEqual(await sets(stage), ["1: v1 0/0"]);
  await stage.elapse(30_000);
  assert.deepEqual(await sets(stage), ["1: v1 0/0", "2: v2 2/2"]);
});

test("pods left behind by --cascade=orphan are taken in by the sets that are made again", async (t) => {
  const stage = await startStage(t);
  await stage.node();
  await stage.client.create(Deployment, deployment("web", { replicas: 2 }));
  await stage.elapse(5_000);
  const uids = (await stage.all(Pod)).map(({ metadata }) => metadata.uid);
  await stage.client.delete(Deployment, ref("web"), { propagationPolicy: "Orphan" });
  await stage.settle();
  const [set] = await stage.all(ReplicaSet);
  await stage.client.delete(ReplicaSet, ref(set?.metadata.name ?? ""), { propagationPolicy: "Orphan" });
  await stage.elapse(1_000);
  assert.deepEqual(
    (await stage.all(Pod)).map(({ metadata }) => metadata.ownerReferences),
    [undefined, undefined],
  );
  await stage.client.create(Deployment, deployment("web", { replicas: 2 }));
  await stage.elapse(5_000);
  assert.deepEqual(
    (await stage.all(Pod)).map(({ metadata }) => metadata.uid),
    uids,
  );
  assert.deepEqual(await sets(stage), ["1: v1 2/2"]);
});

test("a pod whose labels are changed is let go and replaced, and comes back when they are put right", async (t) => {
  const stage = await startStage(t);
  await stage.node();
  await stage.client.create(Deployment, deployment("web", { replicas: 1 }));
  await stage.elapse(5_000);
  const [pod] = await stage.all(Pod);
  const name = pod?.metadata.name ?? "";
  const relabel = (app: string) =>
    stage.client.patch(Pod, ref(name), { type: "merge", body: { metadata: { labels: { app } } } });
  await relabel("debugged");
  await stage.elapse(5_000);
  assert.equal((await stage.client.get(Pod, ref(name))).metadata.ownerReferences, undefined);
  assert.equal((await stage.all(Pod)).length, 2);
  await relabel("web");
  await stage.elapse(5_000);
  assert.equal((await stage.all(Pod)).length, 1, "one of the two is too many now");
});

test("a pod that is deleted is replaced at once, while it still ends", async (t) => {
  const stage = await startStage(t);
  await stage.node({}, [{ name: "slow", life: { ready: "1s", stop: { after: "20s" } } }]);
  await stage.client.create(Deployment, deployment("web", { replicas: 1 }));
  await stage.elapse(5_000);
  const [old] = await stage.all(Pod);
  await stage.client.delete(Pod, ref(old?.metadata.name ?? ""));
  await stage.settle();
  const pods = await stage.all(Pod);
  assert.equal(pods.length, 2);
  const [set] = await stage.all(ReplicaSet);
  assert.equal(set?.status?.terminatingReplicas, 1);
});

test("pods cost one write each, and one of the set and of the deployment for each moment in which something is ready", async (t) => {
  const stage = await startStage(t);
  await stage.node();
  await stage.client.create(Deployment, deployment("web", { replicas: 20 }));
  await stage.elapse(10_000);
  const count = (what: string) => stage.writes.filter((write) => write === what).length;
  assert.equal(count("apply Pod"), 20);
  const most = 20 + 4;
  assert.ok(count("apply ReplicaSet") <= most, `${count("apply ReplicaSet")} writes of the set`);
  assert.ok(count("apply Deployment") <= most, `${count("apply Deployment")} writes of the deployment`);
});

test("two deployments of one selector do not fight over pods", async (t) => {
  const stage = await startStage(t);
  await stage.node();
  const same = (name: string): Deployment => ({ ...deployment("web", { replicas: 2 }), metadata: ref(name) });
  await stage.client.create(Deployment, same("one"));
  await stage.client.create(Deployment, same("two"));
  await stage.elapse(10_000);
  const owners = (await stage.all(Pod))
    .map(({ metadata }) => metadata.ownerReferences?.[0]?.name?.split("-")[0])
    .sort();
  assert.deepEqual(owners, ["one", "one", "two", "two"]);
  stage.writes.length = 0;
  await stage.elapse(600_000);
  assert.deepEqual(stage.writes, []);
});
