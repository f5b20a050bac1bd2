import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type Prometheus, until } from "@trivium/testkit";
import { type GatewayClient, openGateway } from "../e2e/gateway.ts";
import type { RealCluster } from "../e2e/installed.ts";
import { applyAll, namespace } from "../e2e/release.ts";
import { omeModel, omeRuntime } from "../e2e/services.ts";

const patience = 240_000;
const object = "scaledobject/scaledobject-scaled-engine";
const workload = "deployment/scaled-engine";
const autoscaler = "hpa/keda-hpa-scaledobject-scaled-engine";

export interface KedaPlay {
  readonly prometheus: Prometheus;
  readonly registry: string;
  readonly step: TestContext;
}

/** An OME service from zero to one by a request, to two by load, and back to zero, all by KEDA and its autoscaler. */
export async function playKeda(cluster: RealCluster, { prometheus, registry, step }: KedaPlay): Promise<void> {
  const { kubectl } = cluster;
  const began = performance.now();
  const report = (what: string): void =>
    step.diagnostic(`${((performance.now() - began) / 1000).toFixed(0)} s: ${what}`);
  await applyAll(cluster, serviceOf(registry, prometheus));
  for (const name of [object, workload]) await kubectl(["wait", "--for=create", name, "--timeout=240s"]);
  await kubectl(["wait", object, "--for=condition=Ready", "--timeout=120s"]);
  // Its defaults are half a minute and five minutes.
  const quicker = JSON.stringify({ spec: { pollingInterval: 2, cooldownPeriod: 15 } });
  await kubectl(["patch", object, "--type=merge", "--patch", quicker]);
  const untilReplicas = (wanted: number, what: string): Promise<unknown> =>
    until(
      async () => Number(await kubectl(["get", workload, "--output", "jsonpath={.spec.replicas}"])) === wanted,
      what,
      patience,
    );

  await untilReplicas(0, "KEDA scales the idle service to zero");
  report("zero replicas");
  const gateway = await openGateway(cluster, namespace);
  const { status, text } = await gateway.ask("scaled");
  assert.equal(status, 200, text);
  report("a request was held, woke the service and was answered");
  const scalers = await managersOf(cluster);
  assert.ok(
    scalers.some((manager) => manager.includes("keda")),
    scalers.join(", "),
  );

  const load = startLoad(gateway);
  await untilReplicas(2, "the autoscaler of KEDA adds a replica").finally(() => load.stop());
  report("two replicas under load");
  await kubectl(["wait", autoscaler, "--for=condition=ScalingActive", "--timeout=60s"]);

  await untilReplicas(0, "KEDA scales the idle service to zero");
  report("zero replicas");
}

const serviceOf = (registry: string, prometheus: Prometheus): object[] => [
  omeModel("scaled", { storageUri: "hf://org/repo" }),
  omeRuntime(registry),
  {
    apiVersion: "ome.io/v1beta1",
    kind: "InferenceService",
    metadata: { name: "scaled" },
    spec: {
      model: { name: "scaled" },
      engine: {
        minReplicas: 0,
        maxReplicas: 2,
        kedaConfig: {
          enableKeda: true,
          promServerAddress: `http://127.0.0.1:${prometheus.port}`,
          scalingThreshold: "1",
        },
      },
    },
  },
];

/** Who has set the replicas. */
async function managersOf({ kubectl }: RealCluster): Promise<string[]> {
  const fields = await kubectl(["get", workload, "--show-managed-fields", "--output=json"]);
  const { metadata } = JSON.parse(fields) as {
    metadata: { managedFields: { manager: string; subresource?: string }[] };
  };
  return metadata.managedFields.filter(({ subresource }) => subresource === "scale").map(({ manager }) => manager);
}

/** Six clients that ask again as soon as they are answered. */
function startLoad(gateway: GatewayClient): { stop(): Promise<void> } {
  let isOn = true;
  const askOn = async (): Promise<void> => {
    while (isOn) await gateway.ask("scaled").catch(() => undefined);
  };
  const clients = Array.from({ length: 6 }, askOn);
  return {
    async stop() {
      isOn = false;
      await Promise.all(clients);
    },
  };
}
