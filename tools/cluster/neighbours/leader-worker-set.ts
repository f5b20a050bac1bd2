import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadOrCreateIdentity } from "@trivium/apiserver";
import {
  type CustomResourceDefinition,
  type Kind,
  type KubeObject,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@trivium/kube";
import { stringify } from "yaml";
import { ensurePrograms, type GoPrograms, outputOf } from "../build.ts";
import { freePorts } from "../free-ports.ts";
import { installDefinitions } from "../install-definitions.ts";
import {
  folderOfModule,
  isServed,
  type NeighbourOptions,
  type RunningNeighbour,
  readObjects,
  startProgram,
} from "./program.ts";

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
  const authority = await writeCertificate(join(folder, "certificates"));
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
  for (const object of readObjects(join(source, "config/webhook/manifests.yaml")) as WebhookObject[])
    await client.apply(kindOf(object), reachable(object, webhooks, authority), { fieldManager: "lws", force: true });
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

async function writeCertificate(folder: string): Promise<string> {
  const { server, authority } = await loadOrCreateIdentity(join(folder, "identity"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "tls.crt"), server.cert, { mode: 0o600 });
  writeFileSync(join(folder, "tls.key"), server.key, { mode: 0o600 });
  return authority;
}

interface WebhookObject extends KubeObject {
  readonly webhooks: readonly {
    readonly name: string;
    readonly clientConfig: { readonly service: { readonly path: string } };
  }[];
}

const kindOf = ({ kind }: KubeObject): Kind<WebhookObject> =>
  (kind === "MutatingWebhookConfiguration"
    ? MutatingWebhookConfiguration
    : ValidatingWebhookConfiguration) as unknown as Kind<WebhookObject>;

/** The webhooks at an address of this machine, and for pods of LeaderWorkerSets only, as the installation of the project has them. */
function reachable(object: WebhookObject, port: number, authority: string): WebhookObject {
  const caBundle = Buffer.from(authority).toString("base64");
  const matchExpressions = [{ key: "leaderworkerset.sigs.k8s.io/name", operator: "Exists" }];
  const webhooks = object.webhooks.map(({ clientConfig, ...webhook }) => ({
    ...webhook,
    clientConfig: { url: `https://127.0.0.1:${port}${clientConfig.service.path}`, caBundle },
    ...(webhook.name.includes("pod.") ? { objectSelector: { matchExpressions } } : {}),
  }));
  return { ...object, metadata: { name: `lws-${object.metadata.name}` }, webhooks } as unknown as WebhookObject;
}
