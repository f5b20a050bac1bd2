import { type ClusterAccess, createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { ApiError, type KubeClient } from "@trivium/kube";
import { findRunning, type RunRecord, startInBackground } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { refusalOf } from "../access.ts";
import { findBackend } from "../chat/endpoint.ts";
import type { Place } from "../cluster/place.ts";
import { startStopped } from "../machine/command.ts";
import { ownCommand } from "../machine/own-command.ts";
import type { Screen } from "../screen.ts";

/** The API server that a model is served by. */
export interface Server {
  readonly client: KubeClient;
  readonly access: ClusterAccess;
  /** What to do where a kind is not served. */
  readonly remedy: string;
  /** Where a service can be called. */
  addressOf(name: string, namespace: string): Promise<ServedAt>;
  close(): Promise<void>;
}

export interface ServedAt {
  readonly address: string;
  /** The same for a person, with what is needed to call it from here. */
  readonly lines: readonly (readonly [word: string, text: string])[];
}

/**
 * Opens the cluster, or the control plane of this machine, which is started where it does not run. Nothing is returned where the person
 * stopped that.
 */
export async function openServer(place: Place, screen: Screen, signal: AbortSignal): Promise<Server | undefined> {
  if (place.is === "cluster") return openCluster(place.access);
  const record = await controlPlane(place.home, screen, signal);
  return record === undefined ? undefined : openMachine(record);
}

async function openCluster(access: ClusterAccess): Promise<Server> {
  const transport = httpTransport(access);
  const client = createClient(transport);
  return {
    client,
    access,
    remedy: "install Trivium in the cluster (docs/guides/install.md)",
    addressOf: async (name, namespace) => {
      const { service, port } = await findBackend(client, name, namespace);
      const forward = `kubectl port-forward --namespace ${namespace} service/${service} 8080:${port}`;
      return {
        address: `http://${service}.${namespace}.svc:${port}/v1`,
        lines: [
          ["serving", `Service ${namespace}/${service} of ${access.server} (model ${name})`],
          ["address", `http://127.0.0.1:8080/v1 after ${forward}`],
        ],
      };
    },
    close: () => transport.close(),
  };
}

async function openMachine(record: RunRecord): Promise<Server> {
  const access = await loadKubeconfig(record.kubeconfig);
  const transport = httpTransport(access);
  const address = `http://127.0.0.1:${record.ports.gateway}/v1`;
  return {
    client: createClient(transport),
    access,
    remedy: "start trivium up with its API",
    addressOf: async (name) => ({ address, lines: [["serving", `${address} (model ${name})`]] }),
    close: () => transport.close(),
  };
}

/** The one that runs, or one that is started and goes on after this command. */
async function controlPlane(home: string, screen: Screen, signal: AbortSignal): Promise<RunRecord | undefined> {
  const running = findRunning(home);
  if (running !== undefined) return running;
  screen.state("starting the control plane");
  const args = ["--no-demo", "--any-port"];
  const record = await startInBackground({ home, args, program: ownCommand(), signal });
  if (record === undefined) screen.line(startStopped);
  else screen.line(`${screen.dim("started")}   ${record.url} in the background; trivium down stops it`);
  return record;
}

/** What a person reads of a call that the server refused. */
export const asRefusal = (error: unknown, { access }: Server): unknown =>
  error instanceof ApiError && !(error instanceof Refusal) ? refusalOf(error, access, {}) : error;
