import assert from "node:assert/strict";
import { test } from "node:test";
import { AIMModel, AIMService } from "@trivium/aim";
import { gather } from "@trivium/explain";
import { type AnyObject, Deployment, Event, type Kind, Pod } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { startCluster } from "@trivium/testkit";
import { printExplanation } from "../src/explain/print.ts";
import { trivium } from "./running.ts";

const kinds = [AIMService, AIMModel];

test("an object is found with what it stands on, what it consists of, and what was said of it", async (t) => {
  const { client, close } = await startCluster(kinds);
  t.after(close);
  const create = async (kind: Kind, object: object, status: object): Promise<AnyObject> => {
    const made = (await client.create(kind, object as never)) as AnyObject;
    const patch = { type: "merge", body: { status } } as never;
    return (await client.patch(kind, made.metadata as never, patch, { subresource: "status" })) as AnyObject;
  };
  const head = (kind: string, name: string, apiVersion = "aim.silogen.ai/v1alpha1") => ({
    apiVersion,
    kind,
    metadata: { name, namespace: "default" },
  });
  const ownedBy = ({ apiVersion, kind, metadata }: AnyObject, object: { metadata: object }) => ({
    ...object,
    metadata: {
      ...object.metadata,
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }],
    },
  });
  const ready = {
    type: "Ready",
    status: "False",
    reason: "Waits",
    message: "The pod has no node",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  await create(AIMModel, { ...head("AIMModel", "m"), spec: { image: "example/m:1" } }, { status: "Ready" });
  const service = await create(
    AIMService,
    { ...head("AIMService", "chat"), spec: { model: { ref: "m" } } },
    { status: "Starting", conditions: [ready], resolvedModel: { name: "m", namespace: "default", kind: "AIMModel" } },
  );
  const pod = { containers: [{ name: "main", image: "x" }] };
  const labels = { app: "chat" };
  const template = { metadata: { labels }, spec: pod };
  const deployment = await create(
    Deployment,
    ownedBy(service, {
      ...head("Deployment", "chat", "apps/v1"),
      spec: { selector: { matchLabels: labels }, template },
    } as never),
    {},
  );
  const created = await create(Pod, ownedBy(deployment, { ...head("Pod", "chat-1", "v1"), spec: pod } as never), {
    phase: "Pending",
  });
  await client.create(Event, {
    ...head("Event", "chat-1.1", "v1"),
    involvedObject: { kind: "Pod", name: "chat-1", namespace: "default", uid: created.metadata.uid },
    type: "Warning",
    reason: "FailedScheduling",
    message: "0/1 nodes are available",
  } as never);
  const gathered = await gather(client, { kind: AIMService, name: "chat" }, { namespace: "default", dialects });
  assert.equal(
    printExplanation(gathered, Date.parse("2026-01-01T00:00:30Z")).replace(/\d+s ago/, "… ago"),
    `AIMService default/chat (aim.silogen.ai) is progressing: Starting, for 30s

Why
  The pod has no node

Selection of AIMServiceTemplate
  none exists

Depends on
  AIMModel m  Ready

Owns
  Deployment chat  0/1
    Pod chat-1  Pending

Warnings
  … ago  Pod chat-1: FailedScheduling: 0/1 nodes are available
`,
  );
  const request = { namespace: "default", dialects };
  await assert.rejects(gather(client, { kind: AIMService, name: "nobody" }, request), /not found/);
});

test("what cannot be explained is one line that says what to do", async () => {
  const cases: [string[], RegExp][] = [
    [
      ["explain", "pod/x"],
      /^error: trivium explain knows the kinds of AIM, OME and LLMKube only; use kubectl describe pods x, /,
    ],
    [["explain", "aimservice/x", "--kubeconfig", "/nonexistent/kubeconfig"], /^error: .*\/nonexistent\/kubeconfig/],
  ];
  for (const [words, expected] of cases) {
    const run = trivium(words);
    assert.equal(await run.ended, 1);
    assert.match(run.errors(), expected);
    assert.equal(run.errors().trim().split("\n").length, 1);
  }
});
