import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { startPrometheus, until } from "@trivium/testkit";
import { openGateway } from "../e2e/gateway.ts";
import type { RealCluster } from "../e2e/installed.ts";
import { applyAll, namespace } from "../e2e/release.ts";
import { llmkubeService } from "../e2e/services.ts";
import type { Sources } from "../e2e/sources.ts";
import type { NeighbourOptions } from "./program.ts";
import { startPrometheusAdapter } from "./prometheus-adapter.ts";

const patience = 240_000;
const name = "measured";
const metric = "llamacpp:tokens_predicted_total";
const service = `inferenceservices.inference.llmkube.dev/${name}`;

export interface CustomMetricsPlay extends NeighbourOptions {
  readonly host: string;
  readonly sources: Sources;
  readonly step: TestContext;
}

/** The engine counts tokens, Prometheus collects, the adapter serves, the autoscaler of the service adds a replica. */
export async function playCustomMetrics(cluster: RealCluster, play: CustomMetricsPlay): Promise<void> {
  const { kubectl } = cluster;
  const [model, plain] = llmkubeService(play.sources, name) as [object, { spec: object }];
  const metrics = [{ type: "Pods", name: metric, targetAverageValue: "5" }];
  const autoscaling = { minReplicas: 1, maxReplicas: 2, metrics };
  await applyAll(cluster, [model, { ...plain, spec: { ...plain.spec, autoscaling } }]);
  await kubectl(["wait", service, "--for=condition=Available", "--timeout=240s"]);
  const pod = JSON.parse(await kubectl(["get", "pods", "--selector", `app=${name}`, "--output=json"])) as {
    items: { metadata: { name: string }; status: { podIP: string } }[];
  };
  const [first] = pod.items;
  assert.ok(first);
  const labels = { namespace: "default", pod: first.metadata.name };
  const targets = [`${first.status.podIP}:8080`];
  const prometheus = await startPrometheus({ jobs: [{ job_name: "engines", static_configs: [{ targets, labels }] }] });
  if (prometheus.is === "missing") return play.step.skip(prometheus.why);
  await using parts = new AsyncDisposableStack();
  parts.defer(() => prometheus.stop());
  const adapter = await startPrometheusAdapter({ ...play, prometheus });
  parts.defer(() => adapter.stop());

  // What an autoscaler of this API measures unless the user names another metric.
  const path = `/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/llamacpp:requests_processing`;
  let last = "";
  const isServed = (): Promise<boolean> =>
    kubectl(["get", "--raw", path]).then(
      (answer) => (JSON.parse(answer) as { items: object[] }).items.length === 1,
      (error: unknown) => {
        last = String(error);
        return false;
      },
    );
  await until(isServed, "the adapter serves the metric of the pod", patience).catch(async (error: unknown) => {
    const known = await prometheus.query('count({namespace!="",pod!=""})');
    assert.fail(`${String(error)}; Prometheus has ${known ?? 0} series of pods; ${last}`);
  });
  const gateway = await openGateway(cluster, namespace);
  const { status, text } = await gateway.ask(name);
  assert.equal(status, 200, text);
  await kubectl(["wait", `hpa/${name}`, "--for=condition=ScalingActive", "--timeout=120s"]);
  await kubectl(["wait", `deployment/${name}`, "--for=jsonpath={.status.readyReplicas}=2", "--timeout=240s"]);
  await kubectl(["wait", service, "--for=jsonpath={.status.readyReplicas}=2", "--timeout=60s"]);
  await kubectl(["delete", service, `models.inference.llmkube.dev/${name}`]);
}
