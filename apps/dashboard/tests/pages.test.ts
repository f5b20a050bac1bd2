import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startChromium } from "@trivium/testkit";
import { accessibilityFaults, goTo } from "./stage/open.ts";
import { type Stage, startStage } from "./stage/stage.ts";
import { seedWorld } from "./stage/world.ts";

const pages = [
  ["#/overview", "Overview"],
  ["#/services", "Services"],
  ["#/models", "Models and weights"],
  ["#/nodes", "Nodes"],
  ["#/plan", "Plan"],
  ["#/benchmarks", "Benchmarks"],
  ["#/services/llmkube/team-a/vision", "vision"],
  ["#/services/llmkube/team-a/vision/timeline", "vision"],
  ["#/services/llmkube/team-a/vision/yaml", "vision"],
  ["#/services/aim/team-a/reasoner", "reasoner"],
] as const;

let stage: Stage;
const chromium = await startChromium();
const skip = chromium.is === "missing" ? `skipped: ${chromium.why}` : false;

before(async () => {
  stage = await startStage();
  await seedWorld(stage.client);
});
after(async () => {
  await stage?.close();
  if (chromium.is === "running") await chromium.stop();
});

for (const colorScheme of ["light", "dark"] as const)
  test(`each page is accessible and free of errors, ${colorScheme}`, { skip }, async () => {
    assert.ok(chromium.is === "running");
    const { page, faults, close } = await chromium.open({ colorScheme, bypassCSP: true });
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) refused.push(new URL(response.url()).pathname);
    });
    await page.goto(stage.address());
    for (const [route, heading] of pages) {
      await goTo(page, route, heading);
      if (route.endsWith("vision") || route.endsWith("reasoner"))
        await page.getByRole("heading", { name: "Objects" }).waitFor();
      assert.deepEqual(await accessibilityFaults(page), [], route);
    }
    // Also no call that is refused: kinds of other projects are not served here, and the page does not ask for them.
    assert.deepEqual([refused, faults], [[], []]);
    await close();
  });

test("nothing is cut off at the width of a phone", { skip }, async () => {
  assert.ok(chromium.is === "running");
  const { page, close } = await chromium.open({ viewport: { width: 360, height: 740 } });
  await page.goto(stage.address());
  for (const [route, heading] of pages) {
    await goTo(page, route, heading);
    const overflow = await page.evaluate(
      "document.querySelector('main').scrollWidth - document.documentElement.clientWidth",
    );
    assert.ok(Number(overflow) <= 0, `${route} is ${overflow} px too wide`);
  }
  await close();
});

test("the policy of the page refuses nothing that it needs", { skip }, async () => {
  assert.ok(chromium.is === "running");
  const { page, faults, close } = await chromium.open();
  await page.goto(stage.address());
  for (const [route, heading] of pages) await goTo(page, route, heading);
  assert.deepEqual(
    faults.filter((fault) => /Content.Security.Policy/i.test(fault)),
    [],
  );
  assert.equal(await page.evaluate("JSON.stringify(localStorage)"), "{}", "nothing is kept in the browser");
  await close();
});

test("a keyboard alone leads from the overview to the cause of a failure", { skip }, async () => {
  assert.ok(chromium.is === "running");
  const { page, close } = await chromium.open();
  await page.goto(stage.address());
  const link = page.getByRole("link", { name: "vision" });
  await link.waitFor();
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    if (await link.evaluate((element) => element === document.activeElement)) break;
  }
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "vision" }).waitFor();
  await page.getByRole("heading", { name: "Not ready" }).waitFor();
  assert.ok((await page.textContent("main"))?.includes("no node has 1 free GPU"));
  await close();
});
