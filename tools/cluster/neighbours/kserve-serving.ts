import assert from "node:assert/strict";
import { openGateway } from "../e2e/gateway.ts";
import type { RealCluster } from "../e2e/installed.ts";
import { applyAll, namespace } from "../e2e/release.ts";
import { aimService } from "../e2e/services.ts";
import type { Sources } from "../e2e/sources.ts";

const child = "inferenceservices.serving.kserve.io/aim-demo";

/** A service of AIM becomes an InferenceService of KServe, whose controller writes the Deployment and reports when it serves. */
export async function playKServe(cluster: RealCluster, sources: Sources): Promise<void> {
  const { kubectl } = cluster;
  const service = aimService(sources);
  await applyAll(cluster, [service]);
  await kubectl(["wait", "--for=create", child, "--timeout=240s"]);
  await kubectl(["wait", child, "--for=condition=Ready", "--timeout=240s"]);
  await kubectl(["wait", "aimservice/aim-demo", "--for=jsonpath={.status.status}=Running", "--timeout=240s"]);
  const [owner = "", pods = ""] = await Promise.all([
    kubectl(["get", "deployment/aim-demo-predictor", "--output=jsonpath={.metadata.ownerReferences[*].apiVersion}"]),
    kubectl(["get", "pods", "--selector=serving.kserve.io/inferenceservice=aim-demo", "--output=name"]),
  ]);
  assert.equal(owner, "serving.kserve.io/v1beta1");
  assert.equal(pods.trim().split("\n").length, 1, pods);
  const gateway = await openGateway(cluster, namespace);
  const { status, text } = await gateway.ask("trivium/demo");
  assert.equal(status, 200, text);
  assert.match(text, /Trivium/);

  await kubectl(["delete", "-f", "-"], JSON.stringify(service));
  for (const object of [child, "deployment/aim-demo-predictor"])
    await kubectl(["wait", "--for=delete", object, "--timeout=120s"]);
}
