import assert from "node:assert/strict";
import { test } from "node:test";
import { playCalm } from "./story/calm.ts";
import { killLeftovers } from "./story/operator-process.ts";
import { openRealServer } from "./story/real-server.ts";
import { openStage } from "./story/stage.ts";
import { playStorm } from "./story/storm.ts";

test("the story of an operator, on a real cluster", async (t) => {
  const server = await openRealServer();
  const stage = await openStage(server);
  try {
    await t.test("without permissions it says which are missing", async () => {
      const operator = stage.start("stranger", ["--install-crds"]);
      assert.equal(await operator.ended, 1);
      assert.match(
        operator.errors(),
        /^error: not allowed: customresourcedefinitions.* is forbidden.*output of --print-rbac\n$/,
      );
    });
    await t.test("in calm weather", (calm) => playCalm(calm, stage));
    await t.test("in a storm", (storm) => playStorm(storm, stage));
  } finally {
    killLeftovers();
    await stage.clear();
    await stage.close();
    await server.close();
  }
});
