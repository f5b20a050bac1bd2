import {
  type Api,
  builtInResources,
  createApi,
  loadOrCreateIdentity,
  openStore,
  type RunningServer,
  type ServerIdentity,
  type Store,
  StoreRefused,
  serveHttps,
  writeKubeconfig,
} from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { embeddedDefinitions } from "./definitions.ts";
import { type Home, openHome, removeRunRecord, writeRunRecord } from "./home.ts";
import { installDefinitions } from "./install.ts";
import { defaultPort, type UpOptions } from "./options.ts";
import { confirmReady } from "./readiness.ts";
import { Refusal } from "./refusal.ts";

/** The control plane of one machine, running. */
export interface ControlPlane {
  readonly url: string;
  readonly home: Home;
  readonly api: Api;
  stop(): Promise<void>;
}

/** The name under which the parts inside this process call the API. */
const internalIdentity = { user: "system:trivium", groups: ["system:masters"] };

export async function startControlPlane(options: UpOptions): Promise<ControlPlane> {
  const home = openHome(options.home);
  const store = await openStoreOf(home, options.port);
  try {
    return await startOn(store, home, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openStoreOf(home: Home, port: number): Promise<Store> {
  try {
    return await openStore({ directory: home.data, ...(port === 0 ? {} : { port }) });
  } catch (error) {
    if (error instanceof StoreRefused) throw new Refusal(`${error.message} (--home)`);
    throw error;
  }
}

async function startOn(store: Store, home: Home, options: UpOptions): Promise<ControlPlane> {
  const identity = await loadOrCreateIdentity(home.identity, { names: [options.host] });
  const api = createApi({ store, resources: builtInResources(), rootCertificate: identity.authority });
  try {
    await installDefinitions(createClient(api.transport(internalIdentity)), await embeddedDefinitions());
    const server = await listen(api, identity, options);
    return await announce({ api, identity, server, store, home });
  } catch (error) {
    await api.close();
    throw error;
  }
}

async function listen(api: Api, identity: ServerIdentity, { host, port }: UpOptions): Promise<RunningServer> {
  try {
    return await serveHttps(api, { identity, host, port });
  } catch (error) {
    throw refusalOfListening(error, host, port);
  }
}

function refusalOfListening(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    const other = port === defaultPort ? defaultPort + 1 : defaultPort;
    return new Refusal(
      `port ${port} of ${host} is in use by another program; choose another with --port, such as ${other}`,
    );
  }
  if (code === "EACCES")
    return new Refusal(`this user may not listen on port ${port}; choose one above 1023 with --port`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new Refusal(`${host} is not an address of this machine; choose another with --host`);
  }
  return error;
}

interface Running {
  readonly api: Api;
  readonly identity: ServerIdentity;
  readonly server: RunningServer;
  readonly store: Store;
  readonly home: Home;
}

async function announce({ api, identity, server, store, home }: Running): Promise<ControlPlane> {
  const { url } = server;
  await confirmReady(url, identity.authority);
  await writeKubeconfig(home.kubeconfig, {
    server: url,
    authority: identity.authority,
    credential: { is: "certificate", pair: identity.admin },
  });
  writeRunRecord(home, {
    pid: process.pid,
    startedAt: new Date().toISOString(),
    url,
    kubeconfig: home.kubeconfig,
    ports: { api: server.port },
  });
  return {
    url,
    home,
    api,
    stop: async () => {
      removeRunRecord(home);
      await server.close();
      await api.close();
      await store.close();
    },
  };
}
