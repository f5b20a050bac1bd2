import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { loadOrCreateIdentity, type ServerIdentity } from "@trivium/apiserver";
import { startRegistry } from "@trivium/testkit";
import { pushArtifact } from "../../../packages/platform/weights/tests/real/images.ts";
import type { RealCluster } from "./installed.ts";
import { imageOf } from "./services.ts";
import { demoModel, nameOf, serviceFor } from "./sources.ts";

/** A registry with the demo model as an artifact, which pods reach over TLS by a name of the cluster. */
export interface ModelRegistry {
  readonly is: "running";
  /** Its Service, and ConfigMaps with the authority of its certificate. */
  readonly objects: readonly object[];
  readonly host: string;
  readonly uri: string;
  stop(): Promise<void>;
}

/** The registry of Debian, or why this machine cannot have it. */
export async function startModelRegistry({
  folder,
  host,
}: RealCluster): Promise<ModelRegistry | { is: "missing"; why: string }> {
  const registry = await startRegistry();
  if (registry.is === "missing") return registry;
  await pushArtifact(`http://127.0.0.1:${registry.port}/v2/team/demo`, "v1", [
    {
      content: readFileSync(demoModel),
      mediaType: "application/octet-stream",
      annotations: { "org.opencontainers.image.title": "demo.gguf" },
    },
  ]);
  const name = nameOf("registry");
  const identity = await loadOrCreateIdentity(join(folder, "registry"), { names: [name] });
  const front = await startFront(registry, identity, host);
  return {
    is: "running",
    objects: [...serviceFor("registry", host, front.port, 443), ...authoritiesOf(identity)],
    host: name,
    uri: `oci://${name}/team/demo:v1`,
    async stop() {
      front.close();
      await registry.stop();
    },
  };
}

/** Clients use plain HTTP for registries on their own machine only, so this one gets TLS. */
async function startFront({ port }: { readonly port: number }, { server }: ServerIdentity, host: string) {
  const front = createServer(server, (asked, answer) => {
    const { method, url: path, headers } = asked;
    const onwards = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onwards.on("error", () => answer.destroy());
    asked.pipe(onwards);
  });
  await new Promise<void>((resolve) => front.listen(0, host, resolve));
  const close = (): void => {
    front.close();
    front.closeAllConnections();
  };
  return { port: (front.address() as AddressInfo).port, close };
}

const authorityName = "registry-authority";

/** For pods of the user, and under the name that the chart gives it for the node agent. */
const authoritiesOf = ({ authority }: ServerIdentity): object[] =>
  [{ name: authorityName }, { name: "trusted-certificates", namespace: "ome" }].map((metadata) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { "ca.crt": authority },
  }));

/** A pod whose init container downloads with our image under the strictest rules for pods, and whose engine serves what it finds. */
export function servingPod(registry: string, name: string, { uri, env = [] }: PodSource): object {
  const securityContext = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  };
  const weights = { name: "weights", mountPath: "/weights" };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      initContainers: [
        {
          name: "download",
          image: imageOf(registry, "weights"),
          imagePullPolicy: "Never",
          args: ["fetch", uri, "--to", "/weights", "--json"],
          env: [{ name: "SSL_CERT_FILE", value: "/authority/ca.crt" }, ...env],
          securityContext,
          volumeMounts: [weights, { name: "authority", mountPath: "/authority", readOnly: true }],
        },
      ],
      containers: [
        {
          name: "engine",
          image: imageOf(registry, "engine"),
          imagePullPolicy: "Never",
          args: "--model /weights/demo.gguf --host 0.0.0.0 --port 8080 --ctx-size 512".split(" "),
          readinessProbe: { httpGet: { path: "/health", port: 8080 }, periodSeconds: 1 },
          securityContext,
          volumeMounts: [weights],
        },
      ],
      volumes: [
        { name: "weights", emptyDir: {} },
        { name: "authority", configMap: { name: authorityName } },
      ],
    },
  };
}

export interface PodSource {
  readonly uri: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}
