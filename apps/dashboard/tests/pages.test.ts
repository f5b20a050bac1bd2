import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startChromium } from "@trivium/testkit";
import type { Locator } from "playwright-core";
import { type ModelGateway, startModelGateway } from "./stage/model-gateway.ts";
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
  ["#/services/llmkube/team-a/chat/logs", "chat"],
  ["#/services/llmkube/team-a/chat/metrics", "chat"],
  ["#/services/llmkube/team-a/chat/chat", "chat"],
  ["#/services/aim/team-a/reasoner", "reasoner"],
  ["#/services/aim/team-a/missing", "missing"],
  ["#/services/ome/default/code", "code"],
  ["#/services/ome/default/code/logs", "code"],
  ["#/services/ome/default/code/metrics", "code"],
  ["#/services/ome/default/assistant", "assistant"],
  ["#/services/ome/default/assistant/chat", "assistant"],
] as const;

let stage: Stage;
let gateway: ModelGateway;
const chromium = await startChromium();
const skip = chromium.is === "missing" ? `skipped: ${chromium.why}` : false;

before(async () => {
  gateway = await startModelGateway("team-a/chat");
  stage = await startStage({ gateway: gateway.port });
  await seedWorld(stage.client);
});
after(async () => {
  await stage?.close();
  await gateway?.close();
  if (chromium.is === "running") await chromium.stop();
});

const screens = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  // Tables that fit into a window scroll here, and have to be reached with the keyboard.
  "on a phone": { viewport: { width: 360, height: 740 } },
} as const;

for (const [screen, options] of Object.entries(screens))
  test(`each page is accessible and free of errors, ${screen}`, { skip }, async () => {
    assert.ok(chromium.is === "running");
    const { page, faults, close } = await chromium.open({ ...options, bypassCSP: true });
    const refused: string[] = [];
    page.on("response", (response) => {
      // Some pods of this world have no log, and some objects do not exist: the page asks for them as for what may be missing.
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
    await page.getByText("tester", { exact: true }).first().click();
    await page.getByRole("button", { name: "Log out" }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], "the menu");
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

test("the overview leads to a chat with what serves, and copies the first request", { skip }, async () => {
  assert.ok(chromium.is === "running");
  const { page, close } = await chromium.open({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(stage.address());
  const serving = page.getByRole("region", { name: "Serving" });
  const line = serving.getByRole("listitem").filter({ has: page.getByRole("link", { name: "chat", exact: true }) });
  await line.getByRole("button", { name: "Copy curl" }).click();
  await line.getByRole("button", { name: "Copied" }).waitFor();
  const copied = String(await page.evaluate("navigator.clipboard.readText()"));
  assert.match(copied, /^curl http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions .*"model":"team-a\/chat"/);
  const waiting = page.getByRole("region", { name: "In progress" });
  await waiting.getByText("downloading on node gpu-1").waitFor();
  await serving.getByRole("link", { name: "Chat with chat" }).click();
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  assert.equal(await page.title(), "chat · Trivium");
  await page.getByRole("link", { name: "Summary" }).click();
  await page.getByRole("region", { name: "Use it" }).getByText("team-a/chat").first().waitFor();
  await close();
});

test("on a phone the current page and view are in sight among the others", { skip }, async () => {
  assert.ok(chromium.is === "running");
  const { page, close } = await chromium.open({ viewport: { width: 360, height: 740 } });
  await page.goto(stage.address());
  await page.getByRole("link", { name: "vision" }).waitFor();
  await goTo(page, "#/benchmarks", "Benchmarks");
  const isInSight = (name: string): Promise<boolean> =>
    page.getByRole("link", { name, exact: true }).evaluate((link) => {
      const { left, right } = link.getBoundingClientRect();
      return left >= 0 && right <= window.innerWidth;
    });
  assert.ok(await isInSight("Benchmarks"));
  await goTo(page, "#/services/llmkube/team-a/chat/chat", "chat");
  assert.ok(await isInSight("Playground"));
  await close();
});

test("each example of the page Plan is accepted", { skip }, async () => {
  assert.ok(chromium.is === "running");
  const { page, close } = await chromium.open();
  await page.goto(stage.address());
  await page.getByRole("link", { name: "vision" }).waitFor();
  for (const api of ["AIM", "OME", "LLMKube"]) {
    await goTo(page, "#/plan", "Plan");
    await page.getByRole("button", { name: api, exact: true }).click();
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await page.getByRole("button", { name: /^Apply [1-3] change/ }).waitFor();
    assert.equal(await page.getByText("Refused").count(), 0, api);
    if (api === "OME") await page.getByText("Selected example-ome").waitFor();
    await goTo(page, "#/overview", "Overview");
  }
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

test("each page without any object says what it will show, and gives one command", { skip }, async () => {
  assert.ok(chromium.is === "running");
  const empty = await startStage();
  const { page, close } = await chromium.open({ bypassCSP: true });
  await page.goto(empty.address());
  for (const [route, heading] of pages.slice(0, 6)) {
    await goTo(page, route, heading);
    await page.locator(".empty .command pre").first().waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], route);
  }
  await close();
  await empty.close();
});

test("a chat answers word by word, with tokens per second and the same request for curl and Python", {
  skip,
}, async () => {
  assert.ok(chromium.is === "running");
  const { page, faults, close } = await chromium.open();
  await page.goto(stage.address());
  await goTo(page, "#/services/llmkube/team-a/chat/chat", "chat");
  await page.getByRole("textbox", { name: "Message" }).fill("What's Trivium?");
  await page.keyboard.press("Enter");
  await page.getByText("tells you why one is not ready").waitFor();
  await page.getByText(/^14 tokens, [\d.]+ tokens\/s, first token after/).waitFor();
  await page.getByRole("region", { name: "curl" }).getByText(`What'\\''s Trivium?`).waitFor();
  await page.getByRole("region", { name: "Python" }).getByText('model="team-a/chat"').waitFor();
  assert.deepEqual(faults, []);
  await close();
});

test("on a slow network the page says what it waits for, and is complete in the end", { skip }, async () => {
  assert.ok(chromium.is === "running");
  const { page, close } = await chromium.open();
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 300,
    downloadThroughput: 100_000,
    uploadThroughput: 50_000,
  });
  await page.addInitScript(`window.waited = new Set();
    const note = () => { for (const one of document.querySelectorAll(".loading")) waited.add(one.textContent); };
    new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });`);
  await page.goto(stage.address());
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.getByRole("link", { name: "vision" }).waitFor();
  await page.evaluate("location.hash = '#/services/llmkube/team-a/vision'");
  await page.getByRole("heading", { name: "Objects" }).waitFor();
  const waited = (await page.evaluate("[...waited]")) as string[];
  for (const what of ["services", "page", "the decision"]) assert.ok(waited.includes(`Loading ${what} …`), `${waited}`);
  await close();
});

test("a keyboard alone plans a manifest, and opens and closes the menu", { skip }, async () => {
  assert.ok(chromium.is === "running");
  const { page, close } = await chromium.open();
  await page.goto(stage.address());
  await page.getByRole("link", { name: "vision" }).waitFor();
  const reach = async (what: Locator): Promise<void> => {
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press("Tab");
      if (await what.evaluate((element) => element === document.activeElement)) return;
    }
    assert.fail(`${what} cannot be reached`);
  };
  await reach(page.getByRole("link", { name: "Plan" }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Plan" }).waitFor();
  await reach(page.getByRole("textbox"));
  await page.keyboard.insertText("kind: Nothing\n");
  await reach(page.getByRole("button", { name: "Plan" }));
  await page.keyboard.press("Enter");
  await page.getByText("apiVersion and kind are missing").waitFor();
  await page.reload();
  await page.getByText("Live", { exact: true }).waitFor();
  await reach(page.locator(".menu summary"));
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Log out" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Log out" }).waitFor({ state: "hidden" });
  await close();
});
