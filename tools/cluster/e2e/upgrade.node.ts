// The release before serves, Helm upgrades to this one, then other options are chosen: no pod that serves restarts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openGateway } from "./gateway.ts";
import { startOrSkip, thisCheckout } from "./installed.ts";
import { applyAll, createNamespace, namespace, release } from "./release.ts";
import { unpackReleaseBefore } from "./release-before.ts";
import { readyStates, servicesFor, valuesFor } from "./services.ts";
import { startSources } from "./sources.ts";

const keptKinds = [
  ...[
    "persistentvolumeclaims",
    "aimservices",
    "aimmodels",
    "aimservicetemplates",
    "aimmodelcaches",
    "aimtemplatecaches",
  ],
  ...["models.inference.llmkube.dev", "inferenceservices.inference.llmkube.dev"],
  ...["clusterbasemodels", "clusterservingruntimes.ome.io", "inferenceservices.ome.io"],
];
const models = ["llmkube-demo", "trivium/demo", "ome-from-s3", "ome-from-hub"];

test("an upgrade and other options leave every serving pod alone, and services go on", async (t) => {
  const cluster = await startOrSkip(t);
  if (cluster === undefined) return;
  const { kubectl } = cluster;
  const before = unpackReleaseBefore(cluster.folder);
  if ("why" in before) return t.skip(before.why);
  const sources = await startSources(cluster.host);
  t.after(() => sources.stop());
  const serving = async (): Promise<string[]> => {
    const jsonpath = "{range .items[*]}{.metadata.uid} {.metadata.name}{'\\n'}{end}";
    const pods = await kubectl(["get", "pods", "--field-selector=status.phase=Running", "-o", `jsonpath=${jsonpath}`]);
    return pods.trim().split("\n").sort();
  };
  /** Objects of users, and what the operator keeps for them beside pods: caches, claims, models. */
  const kept = async (): Promise<string[]> => {
    const jsonpath = "{range .items[*]}{.metadata.uid} {.kind} {.metadata.name}{'\\n'}{end}";
    const objects = await kubectl(["get", keptKinds.join(","), "-o", `jsonpath=${jsonpath}`]);
    return objects.trim().split("\n").sort();
  };
  /** Every service was looked at by the operator that runs now: each has its record on its workload. */
  const untilReviewed = async (): Promise<void> => {
    for (const [object, state] of readyStates) await kubectl(["wait", object, `--for=${state}`, "--timeout=120s"]);
    const names = ["llmkube-demo", "aim-demo-predictor", "ome-from-s3-engine", "ome-from-hub-engine"];
    const marked = ["--for=jsonpath={.metadata.annotations.trivium\\.dev/rendered}", "--timeout=120s"];
    await kubectl(["wait", ...names.map((name) => `deployment/${name}`), ...marked]);
  };
  const answers = async (): Promise<void> => {
    const gateway = await openGateway(cluster, namespace);
    for (const model of models) {
      const { status, text } = await gateway.ask(model);
      assert.equal(status, 200, `${model}: ${text}`);
    }
  };

  await cluster.load(before.checkout, "trivium.test/before");
  await cluster.load(thisCheckout, "trivium.test/now");
  await applyAll(cluster, sources.objects);
  await createNamespace(cluster);
  await release(cluster, "install", valuesFor("trivium.test/before", sources), before.checkout);
  await applyAll(cluster, servicesFor("trivium.test/before", sources));
  for (const [object, state] of readyStates) await kubectl(["wait", object, `--for=${state}`, "--timeout=240s"]);
  await answers();
  const pods = await serving();
  assert.equal(pods.length, 4, pods.join(", "));
  const objects = await kept();
  const downloads = sources.downloads();
  assert.ok(downloads >= 1, `${downloads} downloads`);
  /** An operator that starts reads the header of the file again, and nothing downloads the file. */
  const withoutDownload = (since: number): void => {
    const more = sources.downloads() - since;
    assert.ok(more < 1, `the hub sent the model ${more.toFixed(2)} times`);
  };

  await t.test("Helm upgrades from the release before", async () => {
    await release(cluster, "upgrade", valuesFor("trivium.test/now", sources));
    await untilReviewed();
    await answers();
    assert.deepEqual(await serving(), pods);
    assert.deepEqual(await kept(), objects);
    withoutDownload(downloads);
  });

  await t.test("other options of the operator", async () => {
    const { operator, ...others } = valuesFor("trivium.test/now", sources) as { operator: { args: string[] } };
    const args = [...operator.args, "--aim-base-args=--model {model} --port {port} --host 0.0.0.0 --alias {name}"];
    await release(cluster, "upgrade", { ...others, operator: { ...operator, args } });
    await untilReviewed();
    assert.deepEqual(await serving(), pods);
  });

  await t.test("a service that changes gets the pods of this release", async () => {
    const service = "inferenceservices.inference.llmkube.dev/llmkube-demo";
    await kubectl(["patch", service, "--type=merge", "--patch", '{"spec":{"contextSize":256}}']);
    const before = sources.downloads();
    const now = "--for=jsonpath={.spec.template.spec.initContainers[-1:].image}=trivium.test/now/trivium-weights:0.1.0";
    await kubectl(["wait", "deployment/llmkube-demo", now, "--timeout=60s"]);
    await kubectl(["rollout", "status", "deployment/llmkube-demo", "--timeout=120s"]);
    await answers();
    withoutDownload(before);
  });
});
