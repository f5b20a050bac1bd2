import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { apiAnswers } from "@trivium/explain";
import { dialects } from "@trivium/local";
import { createRuntime, type Runtime } from "@trivium/runtime";
import { startChromium } from "@trivium/testkit";
import { findFailure, planted, plantFailures } from "./stage/planted.ts";
import { type Stage, startStage } from "./stage/stage.ts";

let stage: Stage;
let runtime: Runtime;
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
  await plantFailures(stage.client);
});
after(async () => {
  await runtime?.stop();
  await stage?.close();
  if (chromium.is === "running") await chromium.stop();
});

for (const failure of planted)
  test(`a failure of ${failure.api} is found in at most three clicks, in the words of explain`, { skip }, async () => {
    assert.ok(chromium.is === "running");
    await runtime.whenIdle();
    const { page, close } = await chromium.open();
    await page.goto(stage.address());
    await findFailure(page, stage.client, failure);
    await close();
  });
