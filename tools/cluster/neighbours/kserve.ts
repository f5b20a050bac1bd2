import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ConfigMap, CustomResourceDefinition } from "@trivium/kube";
import { ensurePrograms, type GoPrograms, outputOf } from "../build.ts";
import { freePorts } from "../free-ports.ts";
import { installDefinitions } from "../install-definitions.ts";
import { identityOf, writeCertificates } from "./certificates.ts";
import { applyObjects } from "./objects.ts";
import {
  folderOfModule,
  isServed,
  type NeighbourOptions,
  type RunningNeighbour,
  readObjects,
  startProgram,
} from "./program.ts";
import { installWebhooks, type WebhookObject } from "./webhooks.ts";

const module = join(import.meta.dirname, "kserve");
const program = "kserve-manager";
const namespace = "kserve";

const programs: GoPrograms = {
  module,
  output: outputOf("kserve", module),
  about: "the controller of KServe once, about ten minutes of one core",
  programs: { [program]: "github.com/kserve/kserve/cmd/manager" },
};

/** Whether this machine has built the controller: tests do not wait for that. */
export const isKServeBuilt = (): boolean => existsSync(programs.output);

/** The controller, built first if this machine has not built it before. */
export const ensureKServe = (print: (line: string) => void): string => join(ensurePrograms(programs, print), program);

/** KServe on this machine: definitions, webhooks and the controller, which writes Deployments and needs no Knative. */
export async function startKServe(options: NeighbourOptions): Promise<RunningNeighbour> {
  const { client } = options;
  const source = folderOfModule(module, "github.com/kserve/kserve");
  const definitions = readObjects(join(source, "config/crd/full/*.yaml")).filter(isDefinition);
  await installDefinitions(client, definitions);
  await applyObjects(client, [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...readObjects(join(source, "config/configmap/inferenceservice.yaml")).map((object) =>
      settingsOf(object as ConfigMap),
    ),
  ]);
  const folder = join(options.folder, "kserve");
  const identity = await identityOf(folder);
  // Where controller-runtime looks for the certificate of webhooks, below the folder for temporary files.
  writeCertificates(join(folder, "k8s-webhook-server", "serving-certs"), identity.server, identity.authority);
  const [webhooks = 0, health = 0] = await freePorts(2);
  const controller = await startProgram(
    {
      name: program,
      path: ensureKServe(() => undefined),
      args: ["--metrics-addr=0", `--webhook-port=${webhooks}`, `--health-probe-addr=127.0.0.1:${health}`],
      env: { TMPDIR: folder, POD_NAMESPACE: namespace },
      isReady: () => isServed(`http://127.0.0.1:${health}/readyz`),
    },
    options,
  );
  const objects = readObjects(join(source, "config/webhook/manifests.yaml")) as WebhookObject[];
  await installWebhooks(client, objects, { port: webhooks, authority: identity.authority, project: "kserve" });
  return controller;
}

const isDefinition = (object: { kind: string }): object is CustomResourceDefinition =>
  object.kind === "CustomResourceDefinition";

/** The settings of the project, except that Deployments are written where nothing else is requested, and no Ingress. */
function settingsOf({ data, ...object }: ConfigMap): ConfigMap {
  const ingress = {
    ...(JSON.parse(data?.ingress ?? "{}") as object),
    enableGatewayApi: false,
    disableIngressCreation: true,
  };
  return {
    ...object,
    metadata: { ...object.metadata, namespace },
    data: {
      ...data,
      deploy: JSON.stringify({ defaultDeploymentMode: "Standard" }),
      ingress: JSON.stringify(ingress),
    },
  };
}
