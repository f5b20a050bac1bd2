import assert from "node:assert/strict";
import { it } from "node:test";
import type { Scenario } from "../scenario.ts";

/** `kubectl create <kind>`: these travel in protobuf, not in JSON. */
export const imperative: Scenario = (stage) => {
  it("configuration", async () => {
    const { kubectl } = stage();
    assert.equal(await kubectl.ok`create configmap c --from-literal=key=value`, "configmap/c created\n");
    assert.equal(await kubectl.ok`get cm c -o jsonpath={.data.key}`, "value");
    assert.equal(await kubectl.ok`create secret generic s --from-literal=password=hunter2`, "secret/s created\n");
    assert.equal(await kubectl.ok`get secret s -o jsonpath=${"{.type} {.data.password}"}`, "Opaque aHVudGVyMg==");
    assert.match(await kubectl.ok`get secret s`, /^NAME +TYPE +DATA +AGE\ns +Opaque +1 +/);
    assert.match(
      await kubectl.ok`create cm printed --from-literal=a=b --dry-run=client -o yaml`,
      /^apiVersion: v1\ndata:\n {2}a: b\n/,
    );
    assert.match(await kubectl.fails`create configmap c --from-literal=a=b`, /configmaps "c" already exists/);
  });

  it("workloads", async () => {
    const { kubectl } = stage();
    assert.equal(
      await kubectl.ok`create deployment d --image=nginx --replicas=0 --port=80`,
      "deployment.apps/d created\n",
    );
    assert.equal(
      await kubectl.ok`get deploy d -o jsonpath=${"{.spec.replicas} {.spec.strategy.type} {.spec.template.spec.containers[0].ports[0].containerPort}"}`,
      "0 RollingUpdate 80",
    );
    assert.equal(await kubectl.ok`create job j --image=busybox -- sleep 1`, "job.batch/j created\n");
    assert.match(await kubectl.ok`get job j`, /^NAME +STATUS +COMPLETIONS +DURATION +AGE\nj +Running +0\/1 +/);
    assert.equal(
      await kubectl.ok`create cronjob cj --image=busybox --schedule=${"*/5 * * * *"}`,
      "cronjob.batch/cj created\n",
    );
    assert.equal(await kubectl.ok`create job from-cj --from=cronjob/cj`, "job.batch/from-cj created\n");
    assert.match(
      await kubectl.fails`create cronjob bad --image=b --schedule=never`,
      /spec\.schedule: Invalid value: "never"/,
    );
  });

  it("networking, quota and disruption", async () => {
    const { kubectl } = stage();
    assert.equal(await kubectl.ok`create service clusterip svc --tcp=80:8080`, "service/svc created\n");
    assert.equal(
      await kubectl.ok`create ingress i --rule=${"foo.example/bar=svc:80"}`,
      "ingress.networking.k8s.io/i created\n",
    );
    assert.match(
      await kubectl.ok`get ing i`,
      /^NAME +CLASS +HOSTS +ADDRESS +PORTS +AGE\ni +<none> +foo\.example +80 +/,
    );
    assert.equal(
      await kubectl.ok`create pdb p --selector=app=d --min-available=50%`,
      "poddisruptionbudget.policy/p created\n",
    );
    assert.match(await kubectl.ok`get pdb p`, /p +50% +N\/A +0 +/);
    assert.equal(await kubectl.ok`create quota q --hard=cpu=1500m`, "resourcequota/q created\n");
    assert.equal(await kubectl.ok`get quota q -o jsonpath={.spec.hard.cpu}`, "1500m");
  });

  it("accounts and roles", async () => {
    const { kubectl } = stage();
    assert.equal(await kubectl.ok`create serviceaccount bot`, "serviceaccount/bot created\n");
    assert.equal(
      await kubectl.ok`create role r --verb=get,list --resource=pods,widgets.kubectl.example.dev`,
      "role.rbac.authorization.k8s.io/r created\n",
    );
    const binding = await kubectl.ok`create rolebinding rb --role=r --serviceaccount=${`${kubectl.namespace}:bot`}`;
    assert.equal(binding, "rolebinding.rbac.authorization.k8s.io/rb created\n");
    assert.match(
      await kubectl.ok`get rolebinding rb -o wide`,
      /^NAME +ROLE +AGE +USERS +GROUPS +SERVICEACCOUNTS\nrb +Role\/r +/,
    );
  });
};
