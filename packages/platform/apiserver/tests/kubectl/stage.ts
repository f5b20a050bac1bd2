import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kubectl } from "./kubectl.ts";
import { widgetCrd } from "./manifests.ts";
import type { Stage } from "./scenario.ts";

/** A server for all scenarios, and how to leave it. */
export interface Theatre {
  stageFor(scenario: string): Promise<Stage>;
  close(): Promise<void>;
}

/** Where kubectl finds the server. */
export interface Cluster {
  readonly kubeconfig: string;
  readonly isEmbedded: boolean;
  close(): Promise<void>;
}

export async function openTheatre(kubectlPath: string, start: (folder: string) => Promise<Cluster>): Promise<Theatre> {
  const folder = await mkdtemp(join(tmpdir(), "trivium-kubectl-"));
  const cluster = await start(folder);
  const run = Math.random().toString(36).slice(2, 7);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    KUBECONFIG: cluster.kubeconfig,
    KUBECACHEDIR: join(folder, "cache"),
    TERM: "dumb",
    // Each call is over before its garbage matters, and has no work for a second processor.
    GOGC: "off",
    GOMAXPROCS: "1",
  };
  const kubectlIn = (namespace: string) => new Kubectl({ path: kubectlPath, env, namespace });
  const root = kubectlIn("default");
  await root.given(widgetCrd).ok`apply -f -`;
  await root.ok`wait crd/widgets.kubectl.example.dev --for=condition=Established --timeout=120s`;
  const namespaces: string[] = [];
  return {
    stageFor: async (scenario) => {
      const namespace = `kt-${run}-${scenario}`;
      namespaces.push(namespace);
      await root.ok`create namespace ${namespace}`;
      const own = await mkdtemp(join(folder, `${scenario}-`));
      return { kubectl: kubectlIn(namespace), folder: own, isEmbedded: cluster.isEmbedded };
    },
    close: async () => {
      if (!cluster.isEmbedded && namespaces.length > 0)
        await root.ok`delete ns --wait=false ${namespaces[0] as string}`;
      await cluster.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
