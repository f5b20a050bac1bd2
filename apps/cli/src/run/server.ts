import { type ClusterAccess, createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { ApiError, type KubeClient } from "@trivium/kube";
import { findRunning, type RunRecord, startInBackground } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { refusalOf } from "../access.ts";
import { findBackend } from "../chat/endpoint.ts";
import type { Place } from "../cluster/place.ts";
import { ownCommand } from "../machine/own-command.ts";
import type { Screen } from "../screen.ts";

/** The API server that a model is served by. */
export interface Server {
  readonly client: KubeClient;
  readonly access: ClusterAccess;
  /** What to do where a kind is not served. */
  readonly remedy: string;
  /** Where a service can be called, in the lines of a person. */
  addressOf(name: string, namespace: string): Promise<readonly (readonly [string, string])[]>;
  close(): Promise<void>;
}

/** Opens the cluster, or the control plane of this machine, which is started where it does not run. */
export async function openServer(place: Place, screen: Screen): Promise<Server> {
  return place.is === "cluster" ? openCluster(place.access) : openMachine(place.home, screen);
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
      return [
        ["serving", `Service ${namespace}/${service} of ${access.server} (model ${name})`],
        ["address", `http://127.0.0.1:8080/v1 after ${forward}`],
      ];
    },
    close: () => transport.close(),
  };
}

async function openMachine(home: string, screen: Screen): Promise<Server> {
  const record = await controlPlane(home, screen);
  const access = await loadKubeconfig(record.kubeconfig);
  const transport = httpTransport(access);
  return {
    client: createClient(transport),
    access,
    remedy: "start trivium up with its API",
    addressOf: async (name) => [["serving", `http://127.0.0.1:${record.ports.gateway}/v1 (model ${name})`]],
    close: () => transport.close(),
  };
}

/** The one that runs, or one that is started and goes on after this command. */
async function controlPlane(home: string, screen: Screen): Promise<RunRecord> {
  const running = findRunning(home);
  if (running !== undefined) return running;
  screen.state("starting the control plane");
  const record = await startInBackground({ home, args: ["--no-demo", "--any-port"], program: ownCommand() });
  screen.line(`${screen.dim("started")}   ${record.url} in the background; trivium down stops it`);
  return record;
}

/** What a person reads of a call that the server refused. */
export const asRefusal = (error: unknown, { access }: Server): unknown =>
  error instanceof ApiError && !(error instanceof Refusal) ? refusalOf(error, access, {}) : error;
