import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { HubServer, startService } from "@trivium/testkit";
import { signatureHeaders } from "@trivium/weights";

/** A hub and an S3 server that pods reach by names of the cluster. */
export interface Sources {
  /** The Services and Endpoints behind those names. */
  readonly objects: readonly object[];
  readonly hub: string;
  readonly s3: string;
  /** Hosts that the operator must allow: they are private. */
  readonly hosts: readonly string[];
  /** How often the hub has sent as many bytes as the model has. Headers of the file, which the operator reads, count in parts. */
  downloads(): number;
  stop(): Promise<void>;
}

export const s3Keys = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };
/** What all sources serve. */
export const demoModel: string = join(import.meta.dirname, "../../../examples/models/demo/demo.gguf");
const namespace = "sources";

/** The name of the cluster that pods reach a source by. */
export const nameOf = (name: string): string => `${name}.${namespace}.svc.cluster.local`;

/** Both serve the demo model: the hub as `org/repo`, S3 as `s3://models/demo`. */
export async function startSources(host: string): Promise<Sources> {
  const weights = readFileSync(demoModel);
  const hub = await new HubServer().listen(host);
  hub.files.set("demo.gguf", { content: weights, isLarge: true });
  const s3 = await startS3(host);
  await put(`http://${host}:${s3.port}/models`, Buffer.alloc(0));
  await put(`http://${host}:${s3.port}/models/demo/demo.gguf`, weights);
  return {
    objects: [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
      ...serviceFor("hub", host, Number(new URL(hub.endpoint).port)),
      ...serviceFor("s3", host, s3.port),
    ],
    hub: `http://${nameOf("hub")}`,
    s3: `http://${nameOf("s3")}`,
    hosts: [nameOf("hub"), nameOf("s3"), host],
    downloads: () => hub.served / weights.length,
    stop: async () => {
      await hub.close();
      await s3.stop();
    },
  };
}

const startS3 = (host: string) => {
  const program = join(dirname(createRequire(import.meta.url).resolve("s3rver")), "..", "bin", "s3rver.js");
  return startService({
    program: process.execPath,
    host,
    prepare: async ({ folder, port }) => [
      program,
      "-d",
      folder,
      "-a",
      host,
      "-p",
      String(port),
      "--no-vhost-buckets",
      "--silent",
    ],
  });
};

async function put(url: string, content: Buffer): Promise<void> {
  const payload = createHash("sha256").update(content).digest("hex");
  const request = { method: "PUT", url: new URL(url), region: "us-east-1", service: "s3", now: new Date(), payload };
  const headers = signatureHeaders(request, s3Keys);
  const answer = await fetch(url, { method: "PUT", headers, body: new Uint8Array(content) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
}

/** A name of the cluster for a server that runs on the machine, outside of every pod. */
export function serviceFor(name: string, address: string, port: number, shown = 80): object[] {
  const labels = { "kubernetes.io/service-name": name };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace, annotations: { "trivium.dev/models": "" } },
      spec: { ports: [{ port: shown, targetPort: port }] },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name, namespace, labels },
      addressType: "IPv4",
      ports: [{ port, protocol: "TCP" }],
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
    },
  ];
}
