import assert from "node:assert/strict";
import { before, it } from "node:test";
import { deployment, documents, widget } from "../manifests.ts";
import type { Scenario } from "../scenario.ts";

/** Scaling and rollouts. There are no controllers here: the test writes the status that they would. */
export const workloads: Scenario = (stage) => {
  before(async () => {
    await stage().kubectl.given(documents(deployment("d"), widget("w", { size: 1 }))).ok`create -f -`;
  });

  it("scale built-in and custom kinds", async () => {
    const { kubectl } = stage();
    assert.equal(await kubectl.ok`scale deploy d --replicas=3`, "deployment.apps/d scaled\n");
    assert.equal(await kubectl.ok`get deploy d -o jsonpath={.spec.replicas}`, "3");
    assert.match(
      await kubectl.fails`scale deploy d --current-replicas=9 --replicas=1`,
      /Expected replicas to be 9, was 3/,
    );
    assert.equal(await kubectl.ok`scale wd w --replicas=4`, "widget.kubectl.example.dev/w scaled\n");
    assert.equal(await kubectl.ok`get wd w -o jsonpath=${"{.spec.replicas} {.metadata.generation}"}`, "4 2");
    const scale = JSON.parse(
      await kubectl.ok`get --raw ${`/apis/kubectl.example.dev/v1alpha1/namespaces/${kubectl.namespace}/widgets/w/scale`}`,
    );
    assert.deepEqual([scale.kind, scale.apiVersion, scale.spec], ["Scale", "autoscaling/v1", { replicas: 4 }]);
    await kubectl.ok`create cm stiff`;
    assert.match(await kubectl.fails`scale cm stiff --replicas=1`, /could not find the requested resource/);
  });

  it("set image, env and resources", async () => {
    const { kubectl } = stage();
    assert.equal(await kubectl.ok`set image deploy/d web=nginx:2`, "deployment.apps/d image updated\n");
    assert.equal(await kubectl.ok`set env deploy/d MODE=fast`, "deployment.apps/d env updated\n");
    assert.equal(
      await kubectl.ok`set resources deploy/d --limits=cpu=200m,memory=64Mi`,
      "deployment.apps/d resource requirements updated\n",
    );
    const container = JSON.parse(await kubectl.ok`get deploy d -o jsonpath={.spec.template.spec.containers[0]}`);
    assert.equal(container.image, "nginx:2");
    assert.deepEqual(container.env, [{ name: "MODE", value: "fast" }]);
    assert.deepEqual(container.resources, { limits: { cpu: "200m", memory: "64Mi" } });
  });

  it("rollout status waits for what the status says", async () => {
    const { kubectl } = stage();
    await using status = kubectl.start`rollout status deploy/d --timeout=20s`;
    await status.until(/Waiting for deployment( spec update to be observed|.* rollout to finish)/);
    const generation = Number(await kubectl.ok`get deploy d -o jsonpath={.metadata.generation}`);
    const done = {
      observedGeneration: generation,
      replicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
      readyReplicas: 3,
    };
    await kubectl.ok`patch deploy d --subresource=status --type=merge -p ${JSON.stringify({ status: done })}`;
    await status.until(/deployment "d" successfully rolled out/);
    assert.match(await kubectl.ok`get deploy d`, /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nd +3\/3 +3 +3 +\d+s\n$/);
  });

  it("rollout restart, pause, resume and history", async () => {
    const { kubectl } = stage();
    assert.equal(await kubectl.ok`rollout restart deploy/d`, "deployment.apps/d restarted\n");
    assert.match(
      await kubectl.ok`get deploy d -o jsonpath={.spec.template.metadata.annotations}`,
      /kubectl\.kubernetes\.io\/restartedAt/,
    );
    assert.equal(await kubectl.ok`rollout pause deploy/d`, "deployment.apps/d paused\n");
    assert.equal(await kubectl.ok`get deploy d -o jsonpath={.spec.paused}`, "true");
    assert.equal(await kubectl.ok`rollout resume deploy/d`, "deployment.apps/d resumed\n");
    const uid = await kubectl.ok`get deploy d -o jsonpath={.metadata.uid}`;
    await kubectl.given(replicaSetOf("d", uid)).ok`create -f -`;
    assert.match(
      await kubectl.ok`rollout history deploy/d`,
      /^deployment\.apps\/d \nREVISION +CHANGE-CAUSE\n1 +first try\n/,
    );
    assert.match(await kubectl.ok`rollout history deploy/d --revision=1`, /Image:\s+nginx:1/);
  });

  it("autoscale", async () => {
    const { kubectl } = stage();
    assert.equal(
      await kubectl.ok`autoscale deploy d --min=1 --max=5 --cpu-percent=50`,
      "horizontalpodautoscaler.autoscaling/d autoscaled\n",
    );
    assert.match(
      await kubectl.ok`get hpa d`,
      /^NAME +REFERENCE +TARGETS +MINPODS +MAXPODS +REPLICAS +AGE\nd +Deployment\/d +cpu: <unknown>\/50% +1 +5 +0 +/,
    );
  });

  it("expose and run", async () => {
    const { kubectl } = stage();
    assert.equal(await kubectl.ok`expose deploy d --port=80 --target-port=http`, "service/d exposed\n");
    assert.match(
      await kubectl.ok`get svc d`,
      /^NAME +TYPE +CLUSTER-IP +EXTERNAL-IP +PORT\(S\) +AGE\nd +ClusterIP +10\.\S+ +<none> +80\/TCP +/,
    );
    assert.equal(await kubectl.ok`run one --image=busybox --restart=Never -- sleep 1`, "pod/one created\n");
    assert.match(
      await kubectl.ok`get pod one -o wide`,
      /^NAME +READY +STATUS[\s\S]*one +0\/1 +Pending +0 +\d+s +<none> +<none>/,
    );
    assert.match(await kubectl.ok`describe pod one`, /QoS Class: +BestEffort/);
  });
};

function replicaSetOf(name: string, uid: string): string {
  return `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: ${name}-1
  labels: {app: ${name}, pod-template-hash: "1"}
  annotations: {deployment.kubernetes.io/revision: "1", kubernetes.io/change-cause: first try}
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: ${name}, uid: ${uid}, controller: true}]
spec:
  replicas: 0
  selector: {matchLabels: {app: ${name}, pod-template-hash: "1"}}
  template:
    metadata: {labels: {app: ${name}, pod-template-hash: "1"}}
    spec: {containers: [{name: web, image: "nginx:1"}]}
`;
}
