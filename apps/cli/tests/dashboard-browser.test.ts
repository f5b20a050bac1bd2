import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { HubServer, startChromium } from "@trivium/testkit";
import { readRunRecord, stopAll, temporaryHome, trivium } from "./running.ts";

const demo = join(import.meta.dirname, "../../../examples/models/demo/demo.gguf");
const pasted = `
apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata: { name: mine, namespace: default }
spec: { source: "hf://org/repo/demo-Q8_0.gguf", format: gguf }
---
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: { name: mine, namespace: default }
spec: { modelRef: mine, replicas: 1 }
`;
const home = temporaryHome();
const chromium = await startChromium();
const skip = chromium.is === "missing" ? `skipped: ${chromium.why}` : false;
after(async () => {
  stopAll();
  home.remove();
  if (chromium.is === "running") await chromium.stop();
});

const up = (...more: string[]) => trivium(["up", "--home", home.path, "--port", "0", ...more]);
const dashboardOf = (output: string): string => /^dashboard +(\S+)$/m.exec(output)?.[1] ?? "";

test("from the first start to an answer in the browser, and on after a restart of the control plane", {
  skip,
}, async () => {
  assert.ok(chromium.is === "running");
  const first = up("--gateway-port", "0");
  await first.ready();
  const [, address = "", token = ""] = /^dashboard +(\S+#start=(\S+))$/m.exec(first.output()) ?? [];
  const { page, close } = await chromium.open();
  await page.goto(address);
  await page.getByRole("link", { name: "Services", exact: true }).first().click();
  await page.getByRole("link", { name: "demo", exact: true }).click();
  await page.getByText("Ready", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: "Playground" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("What is Trivium?");
  await page.keyboard.press("Enter");
  await page.locator(".message-assistant").waitFor();
  await page.getByText(/tokens\/s, first token after/).waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  const answer = (await page.locator(".message-assistant").textContent()) ?? "";
  assert.ok(answer.replace("Model: ", "").trim().length > 0);
  await page.getByRole("link", { name: "Logs" }).click();
  await page.getByText("model loaded").waitFor();
  for (const name of ["Overview", "Nodes"]) {
    await page.getByRole("link", { name, exact: true }).first().click();
    await page.getByText(/^In use now: [\d.]+[MG]i memory, [\d.,]+ cores$/).waitFor();
  }
  const kept = await page.evaluate("JSON.stringify([location.href, {...localStorage}, {...sessionStorage}])");
  assert.ok(!String(kept).includes(token));

  const { ports } = readRunRecord(home.path);
  first.process.kill("SIGINT");
  assert.equal(await first.ended, 0, first.errors());
  await page.getByText("Reconnecting …").waitFor();
  const second = up("--gateway-port", "0", "--dashboard-port", String(ports.dashboard));
  await second.ready();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Services", exact: true }).first().click();
  await page.getByRole("link", { name: "demo", exact: true }).waitFor();
  assert.equal(await page.getByRole("link", { name: "demo", exact: true }).count(), 1);
  const log = readFileSync(join(home.path, "trivium.log"), "utf8");
  assert.ok(!log.includes(token), "no token in the log");
  await close();
  second.process.kill("SIGINT");
  assert.equal(await second.ended, 0, second.errors());
});

test("a manifest is pasted and applied, its download followed to the end, and the model asked, all in the browser", {
  skip,
}, async () => {
  assert.ok(chromium.is === "running");
  const other = temporaryHome();
  const hub = await new HubServer().listen();
  hub.files.set("demo-Q8_0.gguf", { content: readFileSync(demo), isLarge: true });
  hub.stopAfter = 1024 * 1024;
  const environment = { HOME: other.path, HF_ENDPOINT: hub.endpoint, NO_PROXY: "127.0.0.1" };
  const args = ["up", "--home", join(other.path, "home"), "--port", "0", "--gateway-port", "0", "--no-demo"];
  const running = trivium(args, environment);
  await running.ready();
  const { page, close } = await chromium.open();
  await page.goto(dashboardOf(running.output()));

  await page.getByRole("link", { name: "Models", exact: true }).click();
  await page.getByLabel("Hub id or URL").fill("org/repo");
  await page.getByRole("button", { name: "Inspect" }).click();
  await page.getByRole("region", { name: "Memory" }).getByText("It fits").waitFor();
  await page.getByText("trivium run hf://org/repo", { exact: true }).waitFor();

  await page.getByRole("link", { name: "Plan", exact: true }).click();
  await page.getByLabel("Manifests: paste them, or drop files here").fill(pasted);
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByRole("button", { name: /^Apply/ }).click();

  await page.getByRole("link", { name: "Models", exact: true }).click();
  const row = page.getByRole("row", { name: /^mine/ });
  await row.getByText(/^\d.* of 2\.9Mi/).waitFor();
  assert.equal(await row.count(), 1, "the service that reports the download is no model");
  await hub.untilStopped();
  hub.resume();
  await row.getByText("Ready", { exact: true }).waitFor();

  await page.getByRole("link", { name: "Services", exact: true }).first().click();
  await page.getByRole("link", { name: "mine", exact: true }).click();
  await page.getByText("Ready", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: "Playground" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("What is Trivium?");
  await page.keyboard.press("Enter");
  await page.getByText(/tokens\/s, first token after/).waitFor();
  await close();
  running.process.kill("SIGINT");
  assert.equal(await running.ended, 0, running.errors());
  await hub.close();
  other.remove();
});
