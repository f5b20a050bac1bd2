import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AIMService } from "@trivium/aim";
import { apiAnswers, createStatusReader, explainSections, gather } from "@trivium/explain";
import type { AnyObject, DefinedKind } from "@trivium/kube";
import { InferenceService as LlmkubeService } from "@trivium/llmkube";
import { dialects } from "@trivium/local";
import { InferenceService as OmeService } from "@trivium/ome";
import { createRuntime, type Runtime } from "@trivium/runtime";
import { startChromium, until } from "@trivium/testkit";
import { type Stage, startStage } from "./stage/stage.ts";

/** A service of each dialect whose model does not exist: its operator decides what it reports. */
const planted: readonly {
  readonly api: string;
  readonly kind: DefinedKind;
  readonly name: string;
  readonly spec: object;
}[] = [
  { api: "aim", kind: AIMService, name: "aim-broken", spec: { model: { ref: "nowhere" } } },
  { api: "ome", kind: OmeService, name: "ome-broken", spec: { model: { name: "nowhere" } } },
  { api: "llmkube", kind: LlmkubeService, name: "llmkube-broken", spec: { modelRef: "nowhere", replicas: 1 } },
];

let stage: Stage;
let runtime: Runtime;
const reader = createStatusReader(dialects);
const chromium = await startChromium();
const skip = chromium.is === "missing" ? `skipped: ${chromium.why}` : false;

before(async () => {
  if (chromium.is === "missing") return;
  stage = await startStage();
  runtime = createRuntime({
    client: stage.client,
    reconcilers: dialects.flatMap(({ reconcilers }) => reconcilers),
    answers: apiAnswers(stage.client),
  });
  await runtime.start();
  for (const { kind, name, spec } of planted) {
    const metadata = { name, namespace: "default" };
    await stage.client.create(kind, {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata,
      spec,
    } as never);
    await until(async () => reader.standingOf((await stage.client.get(kind, metadata)) as AnyObject).why !== undefined);
  }
});
after(async () => {
  await runtime?.stop();
  await stage?.close();
  if (chromium.is === "running") await chromium.stop();
});

for (const { api, kind, name } of planted)
  test(`a failure of ${api} is found in at most three clicks, in the words of explain`, { skip }, async () => {
    assert.ok(chromium.is === "running");
    await runtime.whenIdle();
    const gathered = await gather(stage.client, { kind, name }, { namespace: "default", dialects });
    const { sections } = explainSections(gathered, reader, Date.now());
    const why = sections.find(({ title }) => title === "Why")?.lines.join(" ") ?? "";
    assert.match(why, /nowhere/);

    const { page, close } = await chromium.open();
    await page.goto(stage.address());
    await page.getByRole("link", { name: "Services", exact: true }).first().click();
    await page.getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.getByRole("main").getByText(why).first().waitFor();
    await page.getByRole("heading", { name: "Objects" }).waitFor();
    const text = (await page.textContent("main")) ?? "";
    for (const { title, lines } of sections.filter(
      ({ title: one }) => one === "Failing conditions" || one === "Depends on",
    ))
      for (const line of lines) assert.ok(text.includes(line), `${title}: ${line}`);
    await close();
  });
