import assert from "node:assert/strict";
import { AIMService } from "@trivium/aim";
import { createStatusReader, explainSections, gather, statusWords } from "@trivium/explain";
import type { AnyObject, DefinedKind, KubeClient } from "@trivium/kube";
import { InferenceService as LlmkubeService } from "@trivium/llmkube";
import { dialects } from "@trivium/local";
import { InferenceService as OmeService } from "@trivium/ome";
import { until } from "@trivium/testkit";
import type { Page } from "playwright-core";

const custom = {
  modelSources: [{ modelId: "org/model", sourceUri: "hf://org/model/model.gguf" }],
  hardware: { gpu: { requests: 1, models: ["MI300X"] } },
};

/** A service of each dialect whose model does not exist, and one that waits for a model that no node can run: its operator decides what it reports. */
export const planted: readonly {
  readonly api: string;
  readonly kind: DefinedKind;
  readonly name: string;
  readonly spec: object;
  readonly cause: RegExp;
}[] = [
  { api: "aim", kind: AIMService, name: "aim-broken", spec: { model: { ref: "nowhere" } }, cause: /nowhere/ },
  { api: "ome", kind: OmeService, name: "ome-broken", spec: { model: { name: "nowhere" } }, cause: /nowhere/ },
  {
    api: "llmkube",
    kind: LlmkubeService,
    name: "llmkube-broken",
    spec: { modelRef: "nowhere", replicas: 1 },
    cause: /nowhere/,
  },
  {
    api: "aim, which waits for its model,",
    kind: AIMService,
    name: "aim-waiting",
    spec: { model: { custom } },
    cause: /No node has GPU model MI300X/,
  },
];

const reader = createStatusReader(dialects);

/** Creates them, and waits until the operator has reported the cause of each. */
export async function plantFailures(client: KubeClient, namespace = "default"): Promise<void> {
  for (const { kind, name, spec } of planted) {
    const [metadata, apiVersion] = [{ name, namespace }, `${kind.group}/${kind.version}`];
    await client.create(kind, { apiVersion, kind: kind.kind, metadata, spec } as never);
    await until(async () => reader.standingOf((await client.get(kind, metadata)) as AnyObject).why !== undefined);
  }
}

/** From the page after log-in: two clicks, and the page has the words of `trivium explain`. */
export async function findFailure(
  page: Page,
  client: KubeClient,
  { kind, name, cause }: (typeof planted)[number],
  namespace = "default",
): Promise<void> {
  const gathered = await gather(client, { kind, name }, { namespace, dialects });
  const { sections } = explainSections(gathered, reader, Date.now());
  const why = sections.find(({ title }) => title === "Why")?.lines.join(" ") ?? "";
  assert.match(why, cause);
  const { is } = reader.standingWith(gathered.object, gathered.uses);
  await page.getByRole("link", { name: "Services", exact: true }).first().click();
  await page.getByRole("row").filter({ hasText: name }).getByText(statusWords[is], { exact: true }).waitFor();
  await page.getByRole("link", { name }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await page.getByRole("main").getByText(why).first().waitFor();
  await page.getByRole("heading", { name: "Objects" }).waitFor();
  await page.locator(".service-head").getByText(statusWords[is], { exact: true }).waitFor();
  const text = (await page.textContent("main")) ?? "";
  const compared = sections.filter(({ title }) => title === "Failing conditions" || title === "Depends on");
  for (const { title, lines } of compared)
    for (const line of lines) assert.ok(text.includes(line), `${title}: ${line}`);
}
