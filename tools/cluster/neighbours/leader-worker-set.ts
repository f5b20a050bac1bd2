import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CustomResourceDefinition } from "@trivium/kube";
import { stringify } from "yaml";
import { ensurePrograms, type GoPrograms, outputOf } from "../build.ts";
import { freePorts } from "../free-ports.ts";
import { installDefinitions } from "../install-definitions.ts";
import { identityOf, writeCertificates } from "./certificates.ts";
import {
  folderOfModule,
  isServed,
  type NeighbourOptions,
  type RunningNeighbour,
  readObjects,
  startProgram,
} from "./program.ts";
import { installWebhooks, type Webhook, type WebhookObject } from "./webhooks.ts";

const module = import.meta.dirname;
const program = "lws-controller";

const programs: GoPrograms = {
  module,
  output: outputOf("lws", module),
  about: "the controller of LeaderWorkerSet once, a few minutes of one core",
  programs: { [program]: "sigs.k8s.io/lws/cmd" },
};

/** Whether this machine has built the controller: tests do not wait for that. */
export const isLeaderWorkerSetBuilt = (): boolean => existsSync(programs.output);

/** The controller, built first if this machine has not built it before. */
export function ensureLeaderWorkerSet(print: (line: string) => void): string {
  return join(ensurePrograms(programs, print), program);
}

/** Gives a control plane on this machine the definitions, webhooks and the controller of LeaderWorkerSet. */
export async function startLeaderWorkerSet(options: NeighbourOptions): Promise<RunningNeighbour> {
  const { client, folder } = options;
  const source = folderOfModule(module, "sigs.k8s.io/lws");
  await installDefinitions(client, readObjects(join(source, "config/crd/bases/*.yaml")) as CustomResourceDefinition[]);
  const [webhooks = 0, health = 0] = await freePorts(2);
  const { server, authority } = await identityOf(join(folder, "certificates"));
  writeCertificates(join(folder, "certificates"), server, authority);
  const configuration = join(folder, "configuration.yaml");
  writeFileSync(configuration, stringify(configurationOf(folder, { webhooks, health })));
  const controller = await startProgram(
    {
      name: program,
      path: ensureLeaderWorkerSet(() => undefined),
      args: [`--config=${configuration}`],
      isReady: () => isServed(`http://127.0.0.1:${health}/readyz`),
    },
    options,
  );
  const objects = readObjects(join(source, "config/webhook/manifests.yaml")) as WebhookObject[];
  await installWebhooks(client, objects, { port: webhooks, authority, project: "lws", adjust: selectPods });
  return controller;
}

const configurationOf = (folder: string, { webhooks, health }: { webhooks: number; health: number }): object => ({
  apiVersion: "config.lws.x-k8s.io/v1alpha1",
  kind: "Configuration",
  leaderElection: { leaderElect: false },
  internalCertManagement: { enable: false },
  webhook: { host: "127.0.0.1", port: webhooks, certDir: join(folder, "certificates") },
  metrics: { bindAddress: "0" },
  health: { healthProbeBindAddress: `127.0.0.1:${health}` },
});

/** The webhooks of pods are for pods of LeaderWorkerSets only, as the installation of the project has them. */
function selectPods({ name }: Webhook): object {
  const matchExpressions = [{ key: "leaderworkerset.sigs.k8s.io/name", operator: "Exists" }];
  return name.includes("pod.") ? { objectSelector: { matchExpressions } } : {};
}
