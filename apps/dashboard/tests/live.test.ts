import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { paths, requestHeader, requestHeaderValue } from "@trivium/dashboard-server/contract";
import { type AnyObject, Deployment } from "@trivium/kube";
import { InferenceService } from "@trivium/llmkube";
import { ClusterBaseModel, InferenceService as OmeService } from "@trivium/ome";
import { startChromium } from "@trivium/testkit";
import type { Page } from "playwright-core";
import { goTo } from "./stage/open.ts";
import { type Stage, startStage } from "./stage/stage.ts";

let stage: Stage;
const chromium = await startChromium();
const skip = chromium.is === "missing" ? `skipped: ${chromium.why}` : false;
const count = 1_000;

before(async () => {
  if (chromium.is === "missing") return;
  stage = await startStage();
  for (let at = 0; at < count; at += 1) await create(nameOf(at));
});
after(async () => {
  await stage?.close();
  if (chromium.is === "running") await chromium.stop();
});

const nameOf = (at: number): string => `service-${String(at).padStart(4, "0")}`;

const create = (name: string): Promise<unknown> =>
  stage.client.create(InferenceService, {
    apiVersion: "inference.llmkube.dev/v1alpha1",
    kind: "InferenceService",
    metadata: { name, namespace: "default" },
    spec: { modelRef: "tiny", replicas: 1 },
  } as never);

function report(name: string, reason: string, message: string): Promise<unknown> {
  const time = { lastTransitionTime: new Date().toISOString(), observedGeneration: 1 };
  const status = { phase: "Failed", conditions: [{ type: "Available", status: "False", reason, message, ...time }] };
  const patch = { type: "merge", body: { status } } as never;
  return stage.client.patch(InferenceService, { namespace: "default", name }, patch, { subresource: "status" });
}

async function openServices(): Promise<{ page: Page; faults: string[]; close(): Promise<void> }> {
  assert.ok(chromium.is === "running");
  const opened = await chromium.open();
  await opened.page.goto(stage.address());
  await goTo(opened.page, "#/services", "Services");
  await opened.page.getByText(`${count} services`).waitFor();
  return opened;
}

test("a thousand services are one table of which few rows are drawn, and all can be reached", { skip }, async () => {
  const { page, close } = await openServices();
  const drawn = await page.locator("tbody tr").count();
  assert.ok(drawn < 100, `${drawn} rows are drawn`);
  assert.equal(await page.getByRole("table").getAttribute("aria-rowcount"), String(count + 1));
  await page.locator(".table-box").evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await page.getByRole("link", { name: nameOf(count - 1) }).waitFor();
  await page.getByRole("searchbox").fill(nameOf(500));
  await page.getByText(`1 of ${count} services`).waitFor();
  assert.equal(await page.getByRole("link", { name: nameOf(500) }).count(), 1);
  await close();
});

test("a change reaches the page without a reload, and a sorted table puts it first", { skip }, async () => {
  const { page, close } = await openServices();
  await report(nameOf(700), "CrashLoop", "Container llama-server keeps crashing");
  const first = page.locator("tbody tr").first();
  await first.getByText(nameOf(700)).waitFor();
  assert.match((await first.textContent()) ?? "", /Container llama-server keeps crashing/);
  await close();
});

test("replicas of an API that reports none are those of its Deployments, live", { skip }, async () => {
  const at = { namespace: "default", name: "counted" };
  const [apiVersion, kind] = ["ome.io/v1beta1", "InferenceService"];
  const service = await stage.client.create(OmeService, {
    ...{ apiVersion, kind, metadata: at },
    spec: { model: { name: "tiny" } },
  } as never);
  const owner = { apiVersion, kind, name: at.name, uid: service.metadata.uid };
  const labels = { app: at.name };
  await stage.client.create(Deployment, {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { ...at, ownerReferences: [owner] } },
    spec: {
      ...{ replicas: 2, selector: { matchLabels: labels } },
      template: { metadata: { labels }, spec: { containers: [{ name: "server", image: "server" }] } },
    },
  } as never);
  assert.ok(chromium.is === "running");
  const { page, close } = await chromium.open();
  await page.goto(stage.address());
  await goTo(page, "#/services", "Services");
  await page.getByRole("searchbox").fill(at.name);
  const line = page.locator("tbody tr", { hasText: at.name });
  await line.getByText("0/2").waitFor();
  await stage.client.patch(Deployment, at, { type: "merge", body: { spec: { replicas: 3 } } } as never);
  await line.getByText("0/3").waitFor();
  await stage.client.delete(Deployment, at);
  await stage.client.delete(OmeService, at);
  await line.waitFor({ state: "detached" });
  await close();
});

test("after the API was away the page goes on, without losing or repeating anything", { skip }, async () => {
  const { page, close } = await openServices();
  await page.getByText("Live", { exact: true }).waitFor();
  stage.stopApi();
  await create("created-meanwhile");
  await stage.client.delete(InferenceService, { namespace: "default", name: nameOf(999) });
  stage.startApi();
  await page.getByRole("searchbox").fill("created-meanwhile");
  await page.getByRole("link", { name: "created-meanwhile" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "created-meanwhile" }).count(), 1);
  await page.getByRole("searchbox").fill(nameOf(999));
  await page.getByText("No service matches").waitFor();
  await page.getByRole("searchbox").fill("");
  await page.getByText(`${count} services`).waitFor();
  await stage.client.delete(InferenceService, { namespace: "default", name: "created-meanwhile" });
  await create(nameOf(999));
  await close();
});

test("a manifest is edited: a fault is refused, a dry run shows the difference, and applying writes it", {
  skip,
}, async () => {
  const { page, close } = await openServices();
  await goTo(page, `#/services/llmkube/default/${nameOf(1)}/yaml`, nameOf(1));
  await page.getByRole("button", { name: "Edit" }).click();
  const editor = page.getByLabel("Manifest", { exact: true }).locator("textarea");
  const text = await editor.inputValue();
  await editor.fill(text.replace("replicas: 1", "replicas: many"));
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await page.getByRole("alert").waitFor();
  assert.match((await page.getByRole("alert").textContent()) ?? "", /replicas/);
  await editor.fill(text.replace("replicas: 1", "replicas: 3"));
  const typed = page.getByRole("region", { name: "Your changes" });
  await typed.getByText("+ ").first().waitFor();
  assert.match((await typed.textContent()) ?? "", /-\s+replicas: 1\s+\+\s+replicas: 3/);
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  // The manager that created the object owns the field: the user confirms that it changes hands.
  await page.getByRole("button", { name: "Dry run, and take over fields of other managers" }).click();
  await page.locator(".diff-added", { hasText: "replicas: 3" }).waitFor();
  assert.equal(await replicasOf(nameOf(1)), 1, "a dry run writes nothing");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("Applied").waitFor();
  assert.equal(await replicasOf(nameOf(1)), 3);
  await close();
});

test("a plan shows what manifests would do, and applies them", { skip }, async () => {
  const { page, faults, close } = await openServices();
  await goTo(page, "#/plan", "Plan");
  const manifest = (name: string, model: string): string =>
    `apiVersion: ome.io/v1beta1\nkind: InferenceService\nmetadata: { name: ${name} }\nspec: { model: { name: ${model} } }\n`;
  await page.getByRole("textbox").fill(`${manifest("planned", "missing-model")}---\nkind: Pod\n`);
  await page.getByRole("button", { name: "Plan" }).click();
  await page.getByText("document 2: apiVersion and kind are missing").waitFor();
  assert.ok(await page.getByRole("button", { name: /Apply/ }).isDisabled());
  await page.getByRole("textbox").fill(manifest("planned", "missing-model"));
  await page.getByRole("button", { name: "Plan" }).click();
  await page.getByText(/Missing: .*missing-model/).waitFor();
  await page.getByRole("button", { name: "Apply 1 change" }).click();
  await page.getByText("Applied 1 object").waitFor();
  assert.deepEqual(faults, [], "objects that do not exist yet are no errors");
  const created = (await stage.client.get(OmeService, { namespace: "default", name: "planned" })) as AnyObject;
  assert.deepEqual((created.spec as { model: { name: string } }).model.name, "missing-model");
  await stage.client.delete(OmeService, { namespace: "default", name: "planned" });
  await close();
});

test("a download is followed to its end: share, rate and time left, then the model is ready", { skip }, async () => {
  const { page, close } = await openServices();
  const [name, apiVersion] = ["downloaded", "ome.io/v1beta1"];
  const spec = { modelFormat: { name: "safetensors" }, storage: { storageUri: "hf://a/b" } };
  await stage.client.create(ClusterBaseModel, {
    apiVersion,
    kind: "ClusterBaseModel",
    metadata: { name },
    spec,
  } as never);
  const write = (status: object): Promise<unknown> =>
    stage.client.patch(ClusterBaseModel, { name }, { type: "merge", body: { status } } as never, {
      subresource: "status",
    });
  const gi = 1024 ** 3;
  await goTo(page, "#/models", "Models and weights");
  const row = page.getByRole("row", { name: /downloaded/ });
  for (const done of [1, 3])
    await write({
      state: "In_Transit",
      downloads: [
        {
          node: "n",
          bytesDone: done * gi,
          bytesTotal: 4 * gi,
          percent: done * 25,
          bytesPerSecond: gi,
          secondsLeft: 4 - done,
        },
      ],
    }).then(() => row.getByText(`${done}.0Gi of 4.0Gi, 1.0Gi/s, ${4 - done}s left`).waitFor());
  assert.equal(await row.getByRole("progressbar").getAttribute("value"), "75");
  const ready = { type: "Ready", status: "True", reason: "ModelReady", message: "Available on node n" };
  const time = { lastTransitionTime: new Date().toISOString(), observedGeneration: 1 };
  await write({ state: "Ready", downloads: null, nodesReady: ["n"], conditions: [{ ...ready, ...time }] });
  await row.getByText("Ready", { exact: true }).waitFor();
  assert.equal(await row.getByRole("progressbar").count(), 0);
  await row.getByRole("button", { name: "Evict" }).click();
  await row.getByRole("button", { name: "Delete ClusterBaseModel downloaded?" }).click();
  await row.waitFor({ state: "detached" });
  await close();
});

test("a decision that could not be read is read again, without a change", { skip }, async () => {
  const { page, close } = await openServices();
  const name = nameOf(2);
  let isBroken = true;
  await page.route(`**/inferenceservices/${name}`, (route) => (isBroken ? route.abort() : route.continue()));
  await page.evaluate(`location.hash = "#/services/llmkube/default/${name}"`);
  await page.getByRole("alert").waitFor();
  isBroken = false;
  await page.getByRole("heading", { name: "Objects" }).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  await close();
});

test("a page whose session has ended says so, and asks for nothing but a log-in", { skip }, async () => {
  const { page, close } = await openServices();
  const calls: string[] = [];
  const ended = await page.context().request.delete(new URL("session", page.url()).href, {
    headers: { [requestHeader]: requestHeaderValue },
  });
  assert.equal(ended.status(), 200);
  page.on("request", (request) => calls.push(new URL(request.url()).pathname));
  await page.getByText(/^Session ended: .*; log in again$/).waitFor();
  await page.getByText("trivium status").waitFor();
  assert.deepEqual(
    calls.filter((path) => path !== paths.watch && path !== paths.session),
    [],
  );
  assert.equal(await page.getByText("Live", { exact: true }).count(), 0);
  await close();
});

async function replicasOf(name: string): Promise<number | undefined> {
  const { spec } = (await stage.client.get(InferenceService, { namespace: "default", name })) as AnyObject;
  return (spec as { replicas?: number }).replicas;
}
