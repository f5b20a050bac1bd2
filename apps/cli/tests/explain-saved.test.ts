import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gather } from "@trivium/explain";
import { type AnyObject, Deployment, Event, type Kind, Node, Pod, Secret } from "@trivium/kube";
import { llmkube } from "@trivium/llmkube";
import { dialects } from "@trivium/local";
import { startCluster } from "@trivium/testkit";
import { explain, formatExplanation } from "../src/explain/command.ts";
import { factsOf } from "../src/explain/facts.ts";
import { printExplanation } from "../src/explain/print.ts";
import { saveFacts } from "../src/facts/file.ts";

const [Model, InferenceService] = llmkube.kinds as readonly Kind[] as [Kind, Kind];
const secrets = ["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", "word-in-a-secret-0815", "sk-planted0123456789abcdef"];
const head = (kind: Kind, name: string) => ({
  apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
  kind: kind.kind,
  metadata: kind.namespaced ? { name, namespace: "default" } : { name },
});

async function seed(client: Awaited<ReturnType<typeof startCluster>>["client"]): Promise<void> {
  const create = async (kind: Kind, object: object, status?: object): Promise<AnyObject> => {
    const made = (await client.create(kind, object as never)) as AnyObject;
    if (status === undefined) return made;
    const patch = { type: "merge", body: { status } } as never;
    return (await client.patch(kind, made.metadata as never, patch, { subresource: "status" })) as AnyObject;
  };
  await create(Secret, { ...head(Secret, "hub"), stringData: { token: secrets[1] } });
  await create(Node, head(Node, "n1"), { capacity: { memory: "8Gi" }, allocatable: { memory: "8Gi", cpu: "4" } });
  await create(
    Model,
    { ...head(Model, "tiny"), spec: { source: `https://user:${secrets[1]}@models.example/tiny.gguf` } },
    { phase: "Ready", conditions: [] },
  );
  const message = `The weights need the token ${secrets[0]}`;
  const service = await create(
    InferenceService,
    {
      ...head(InferenceService, "chat"),
      spec: { modelRef: "tiny", env: [{ name: "API_KEY", value: secrets[2] }] },
    },
    {
      phase: "Failed",
      conditions: [
        {
          type: "Available",
          status: "False",
          reason: "WeightsUnavailable",
          message,
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    },
  );
  const { apiVersion, kind, metadata } = service;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
  const template = { metadata: { labels: { app: "chat" } }, spec: { containers: [{ name: "main", image: "x" }] } };
  const deployment = await create(Deployment, {
    ...head(Deployment, "chat"),
    metadata: { ...head(Deployment, "chat").metadata, ownerReferences: [owner] },
    spec: { selector: { matchLabels: { app: "chat" } }, template },
  });
  const by = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    name: "chat",
    uid: deployment.metadata.uid,
    controller: true,
  };
  const waiting = { reason: "CrashLoopBackOff", message: `bad key ${secrets[2]}` };
  const pod = await create(
    Pod,
    {
      ...head(Pod, "chat-1"),
      metadata: { ...head(Pod, "chat-1").metadata, labels: { app: "chat" }, ownerReferences: [by] },
      spec: { containers: [{ name: "main", image: "x", args: ["--api-key", secrets[2]] }] },
    },
    {
      phase: "Running",
      containerStatuses: [{ name: "main", image: "x", imageID: "", ready: false, restartCount: 3, state: { waiting } }],
    },
  );
  await client.create(Event, {
    ...head(Event, "chat-1.1"),
    involvedObject: { kind: "Pod", name: "chat-1", namespace: "default", uid: pod.metadata.uid },
    type: "Warning",
    reason: "BackOff",
    message: `failed with ${secrets[1]}`,
    lastTimestamp: "2026-01-01T00:00:20Z",
  } as never);
}

test("a saved explanation replays without the cluster, and has no credentials in it", async (t) => {
  const { client, close } = await startCluster(llmkube.kinds as never);
  t.after(close);
  await seed(client);
  const folder = mkdtempSync(join(tmpdir(), "trivium-facts-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "case.yaml");
  const now = Date.parse("2026-01-01T00:00:30Z");
  const subject = { kind: InferenceService as never, name: "chat" };
  const gathered = await gather(client, subject, { namespace: "default", dialects, now });
  saveFacts(path, await factsOf(client, gathered, { now, options: undefined, dialects }));

  const text = readFileSync(path, "utf8");
  for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} is in the file:\n${text}`);
  for (const secret of secrets) assert.ok(!text.includes(Buffer.from(secret).toString("base64")), secret);
  const json = formatExplanation(gathered, "json", now);
  for (const secret of secrets) assert.ok(!json.includes(secret), `${secret} is in the JSON`);
  assert.equal(statSync(path).mode & 0o077, 0);

  const replayed = await explain([], { output: "text", from: path });
  const clean = secrets.reduce((rest, secret) => rest.replaceAll(secret, "redacted"), printExplanation(gathered, now));
  assert.equal(replayed, clean);
  assert.match(
    replayed,
    /Path to the cause\n {2}InferenceService chat -> owns Deployment chat -> owns Pod chat-1 \(Cra/,
  );
  const named = await explain(["isvc.inference.llmkube.dev/chat"], { output: "json", from: path });
  const { graph } = JSON.parse(named) as { graph: { broken: unknown[]; edges: unknown[] } };
  assert.deepEqual(graph.broken, [
    { from: "InferenceService chat", is: "owns", to: "Deployment chat" },
    { from: "Deployment chat", is: "owns", to: "Pod chat-1" },
  ]);
  await assert.rejects(
    explain(["model/other"], { output: "text", from: path }),
    /Model other not found in .*case\.yaml/,
  );
  writeFileSync(path, "a: [");
  await assert.rejects(explain([], { output: "text", from: path }), /is not valid YAML/);
  writeFileSync(path, "just: words");
  await assert.rejects(explain([], { output: "text", from: path }), /not a Kubernetes object/);
  writeFileSync(path, "apiVersion: v1\nkind: List\nitems: []\n");
  await assert.rejects(explain([], { output: "text", from: path }), /does not name the object to explain/);
});
