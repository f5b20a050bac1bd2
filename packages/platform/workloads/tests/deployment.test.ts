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
  await stage.elapse(3_600_000);
  assert.deepEqual(stage.writes, []);

  await stage.client.patch(Deployment, ref("web"), setImage("example/web:2"));
  await stage.settle();
  assert.deepEqual(await sets(stage), ["1: v1 3/3", "2: v2 1/0"]);
  await stage.elapse(60_000);
  assert.deepEqual(await sets(stage), ["1: v1 0/0", "2: v2 3/3"]);
  assert.equal((await stage.all(Pod)).length, 3);
  const told = (await stage.told("web")).map((line) => line.replace(/web-\w+/, "web-#")).sort();
  assert.deepEqual(told, [
    "ScalingReplicaSet Scaled down replica set web-# from 1 to 0",
    "ScalingReplicaSet Scaled down replica set web-# from 2 to 1",
    "ScalingReplicaSet Scaled down replica set web-# from 3 to 2",
    "ScalingReplicaSet Scaled up replica set web-# from 0 to 1",
    "ScalingReplicaSet Scaled up replica set web-# from 0 to 3",
    "ScalingReplicaSet Scaled up replica set web-# from 1 to 2",
    "ScalingReplicaSet Scaled up replica set web-# from 2 to 3",
  ]);
});
