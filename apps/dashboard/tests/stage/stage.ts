import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Api, builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { createDashboard, serveDashboard, startAddress } from "@trivium/dashboard-server";
import {
  CustomResourceDefinition,
  gatewayApiCrds,
  isConditionTrue,
  type KubeClient,
  type Transport,
} from "@trivium/kube";
import { dialectDefinitions } from "@trivium/local";
import { until } from "@trivium/testkit";

/** The embedded API server in this process, and the dashboard in front of it with its built pages. */
export interface Stage {
  readonly api: Api;
  readonly client: KubeClient;
  /** The address of the next log-in. */
  address(): string;
  /** The API stops: calls fail and streams break, until it starts again. */
  stopApi(): void;
  startApi(): void;
  close(): Promise<void>;
}

const admin = { user: "tester", groups: ["system:masters"] };

export interface StageOptions {
  readonly isReadOnly?: boolean;
}

export async function startStage({ isReadOnly = false }: StageOptions = {}): Promise<Stage> {
  const api = createApi({ store: openMemoryStore(), resources: builtInResources() });
  await api.ready;
  const client = createClient(api.transport(admin));
  await define(client, api);
  const link = breakable(api.transport(admin));
  const tokens: string[] = [];
  const connection = { transport: link.transport, server: "https://127.0.0.1:6443", namespace: "default" };
  const dashboard = createDashboard({
    assets: await builtPages(),
    login: { is: "start-token", connection, publish: (token) => void tokens.push(token) },
    isReadOnly,
    allowedHosts: [],
    version: "0.1.0",
    log: () => {},
  });
  const server = await serveDashboard(dashboard, { host: "127.0.0.1", port: 0 });
  return {
    api,
    client,
    address: () => startAddress(server.port, tokens.at(-1) ?? ""),
    stopApi: link.stop,
    startApi: link.start,
    close: async () => {
      await server.close();
      await api.close();
    },
  };
}

/** Those that the test run has built, or a build for this run. */
async function builtPages(): Promise<string> {
  const bundles = process.env.TRIVIUM_TEST_BUNDLES;
  if (bundles !== undefined) return join(bundles, "dashboard");
  const [{ build }, { default: config }] = await Promise.all([import("vite"), import("../../vite.config.ts")]);
  const outDir = mkdtempSync(join(tmpdir(), "trivium-dashboard-"));
  await build({ ...config, configFile: false, logLevel: "error", build: { ...config.build, outDir } });
  return outDir;
}

async function define(client: KubeClient, api: Api): Promise<void> {
  const definitions = [...dialectDefinitions(), ...(await gatewayApiCrds())];
  for (const definition of definitions) await client.create(CustomResourceDefinition, definition);
  await api.idle();
  for (const { metadata } of definitions)
    await until(async () => {
      const { status } = await client.get(CustomResourceDefinition, { name: metadata.name ?? "" });
      return isConditionTrue(status?.conditions, "Established");
    });
}

/** A transport that can be cut like a connection. */
function breakable(transport: Transport): { transport: Transport; stop(): void; start(): void } {
  let cut = new AbortController();
  let isDown = false;
  return {
    transport: async (request) => {
      if (isDown) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      const signals = [cut.signal, ...(request.signal === undefined ? [] : [request.signal])];
      return transport({ ...request, signal: AbortSignal.any(signals) });
    },
    stop() {
      isDown = true;
      cut.abort(new Error("connection reset"));
    },
    start() {
      isDown = false;
      cut = new AbortController();
    },
  };
}
