import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isReason, type KubeClient, Namespace, Secret } from "@trivium/kube";
import { HoldingsAgent, type HostRoot, hostFolder } from "@trivium/node";
import { modelHoldings, type OmeOptions } from "@trivium/ome";
import { systemClock } from "@trivium/runtime";
import { ArtifactKeeper, Store, WeightsError } from "@trivium/weights";
import type { Home } from "./home.ts";
import type { Log } from "./log.ts";

export interface ModelAgentParts {
  readonly home: Home;
  readonly client: KubeClient;
  readonly log: Log;
  readonly node: string;
  readonly options: OmeOptions;
  /** Folders that models may be found in, beside the one that they are brought to. */
  readonly folders: readonly HostRoot[];
}

/** The folder that nodes keep models in stands for one of our own. */
export const modelsRootOf = (home: Home, { modelsRoot }: OmeOptions): HostRoot => ({
  path: modelsRoot,
  realPath: join(home.path, "models"),
});

/** Holds on this machine the models that objects want here. */
export async function startModelAgent(parts: ModelAgentParts): Promise<{ stop(): Promise<void> }> {
  const { home, client, log, node, options, folders } = parts;
  const root = modelsRootOf(home, options);
  for (const folder of [root.realPath ?? root.path, join(home.path, "weights")])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  await ensureNamespace(client, options.namespace);
  const agent = new HoldingsAgent({
    client,
    node,
    api: modelHoldings(options),
    onTrouble: log.fault,
    keeperOf: (reports) =>
      new ArtifactKeeper({
        ...reports,
        store: new Store(join(home.path, "weights")),
        environment: process.env,
        folderOf: (path, use) => folderOf(path, use === "filled" ? [root] : [root, ...folders]),
        secretOf: async ({ namespace, name, key }) => secretValue(client, { namespace, name }, key),
        onTrouble: log.fault,
        now: systemClock.now,
        schedule: systemClock.schedule,
      }),
  });
  agent.start();
  return agent;
}

/** Models are brought to the root alone, each to a folder of its own in it: folders of the user's are read and nothing else. */
async function folderOf(path: string, roots: readonly HostRoot[]): Promise<string> {
  const [root] = roots;
  const refused = (why: string): WeightsError => new WeightsError("refused", "OutsideRoots", why);
  if (path.replace(/\/+$/, "") === root?.path) throw refused(`${path} holds all models; name a folder in it`);
  try {
    return await hostFolder({ path }, roots);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

async function secretValue(
  client: KubeClient,
  ref: { readonly namespace: string; readonly name: string },
  key: string,
): Promise<string | undefined> {
  try {
    const { data } = await client.get(Secret, ref);
    const value = data?.[key];
    return value === undefined ? undefined : Buffer.from(value, "base64").toString("utf8").trim();
  } catch (error) {
    if (isReason(error, "NotFound")) return undefined;
    throw error;
  }
}

async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  const namespace: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await client.create(Namespace, namespace).catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
}
