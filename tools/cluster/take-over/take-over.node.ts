// Take-overs on a real node: containers of the other operator run on, with the ids that containerd gave them.
import { test } from "node:test";
import { aim, aimEai } from "@trivium/aim";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { type KubeClient, Node } from "@trivium/kube";
import { llmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";
import { killLeftovers } from "../../../apps/operator/tests/story/operator-process.ts";
import { startOrSkip } from "../e2e/installed.ts";
import { prepareTakeOver, takeOverSteps } from "./play.ts";
import { asReal } from "./real-world.ts";
import { openStage } from "./stage.ts";
import { readWorld, type UpstreamWorld } from "./world.ts";

test("take-over on a real node", async (t) => {
  const cluster = await startOrSkip(t);
  if (cluster === undefined) return;
  const { kubeconfig } = cluster;
  const transport = httpTransport(await loadKubeconfig(kubeconfig));
  t.after(async () => {
    killLeftovers();
    await transport.close();
  });
  const client = createClient(transport);
  const [node] = (await client.list(Node)).items;
  const name = node?.metadata.name ?? "";
  const wanted = (process.env.TAKE_OVER ?? "").split(",");
  for (const dialect of [llmkube, ome, aim, aimEai].filter((one) => wanted.some((word) => one.name.includes(word))))
    await t.test(dialect.name, async (part) => {
      const staged = readWorld(dialect.name);
      await offerAccelerators(client, name, staged);
      const world = asReal(staged, name);
      const stage = await openStage({ kubeconfig, node: "real" }, world, dialect);
      part.after(() => stage.close());
      const steps = await prepareTakeOver({ stage, world, dialect, kubeconfig });
      for (const step of takeOverSteps) await part.test(step, steps[step]);
    });
});

/** A node without cards offers some all the same: no container of these worlds uses one. */
async function offerAccelerators(client: KubeClient, name: string, { nodes }: UpstreamWorld): Promise<void> {
  for (const { deviceId = "", count } of nodes.flatMap(({ accelerators = [] }) => accelerators)) {
    const labels = { "amd.com/gpu.device-id": deviceId };
    await client.patch(Node, { name }, { type: "merge", body: { metadata: { labels } } });
    const amount = { "amd.com/gpu": String(count) };
    const status = { capacity: amount, allocatable: amount };
    await client.patch(Node, { name }, { type: "merge", body: { status } }, { subresource: "status" });
  }
}
