import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { startChromium } from "@trivium/testkit";
import { readRunRecord, stopAll, temporaryHome, trivium } from "./running.ts";

const home = temporaryHome();
const chromium = await startChromium();
const skip = chromium.is === "missing" ? `skipped: ${chromium.why}` : false;
after(async () => {
  stopAll();
  home.remove();
  if (chromium.is === "running") await chromium.stop();
});

const up = (...more: string[]) => trivium(["up", "--home", home.path, "--port", "0", ...more]);

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
