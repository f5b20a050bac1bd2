import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Pod } from "@trivium/kube";
import { systemClock } from "@trivium/runtime";
import { LogBook, NodeAgent, processSandbox } from "../src/index.ts";
import type { SandboxSetupOptions } from "../src/sandbox-setup/options.ts";
import { type SetupStage, startSetupStage } from "./setup-stage.ts";

/** The whole node: agent, processes, rooms. Time is real here, as processes are. */
export async function startNode(t: TestContext, options: Partial<SandboxSetupOptions> = {}): Promise<SetupStage> {
  const stage = await startSetupStage(t);
  const setups = await stage.setups({ clock: systemClock, ...options });
  const onError = (what: string, error: unknown) => stage.failures.push(`${what}: ${error}`);
  const sandbox = await processSandbox({ root: stage.root, setups, onError });
  const logs = new LogBook(() => Date.now());
  const profile = { name: "here", address: "127.0.0.1" };
  const agent = new NodeAgent({ profile, client: stage.client, sandbox, logs, onError });
  await agent.start();
  t.after(async () => {
    const { items } = await stage.client.list(Pod, { namespace: "default" });
    for (const { metadata } of items) {
      const ref = { namespace: "default", name: metadata.name ?? "" };
      await stage.client.delete(Pod, ref, { gracePeriodSeconds: 1 }).catch(() => undefined);
    }
    await reached(stage, () => agent.size === 0);
    await agent.stop();
  });
  return stage;
}

export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true;

/** Where a pod of this node answers for one of its ports. */
export function urlOf({ metadata, status }: Pod, port: number): string {
  const moved = JSON.parse(metadata.annotations?.["trivium.dev/ports"] ?? "{}") as Record<string, number>;
  return `http://${status?.podIP}:${moved[port] ?? port}`;
}

/** Waits for a change of some pod after which something is so. */
export async function reached(stage: SetupStage, isSo: (pods: readonly Pod[]) => boolean): Promise<void> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), 120_000);
  try {
    const { items, metadata } = await stage.client.list(Pod, { namespace: "default" });
    const pods = new Map(items.map((pod) => [pod.metadata.name, pod]));
    if (isSo([...pods.values()])) return;
    const version = metadata.resourceVersion ?? "0";
    for await (const event of stage.client.watch(Pod, {
      namespace: "default",
      resourceVersion: version,
      signal: end.signal,
    })) {
      if (event.type === "BOOKMARK") continue;
      if (event.type === "DELETED") pods.delete(event.object.metadata.name);
      else pods.set(event.object.metadata.name, event.object);
      // The agent hears of it by a watch of its own.
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (isSo([...pods.values()])) return;
    }
    assert.fail(JSON.stringify([...pods.values()].map(({ status }) => status)));
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}
