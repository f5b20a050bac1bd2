import assert from "node:assert/strict";
import { test } from "node:test";
import { playCalm } from "./story/calm.ts";
import { killLeftovers } from "./story/operator-process.ts";
import { openRealServer } from "./story/real-server.ts";
import { namespace, openStage } from "./story/stage.ts";
import { playStorm } from "./story/storm.ts";
import { until } from "./story/until.ts";

test("the story of an operator, on a real cluster", async (t) => {
  const server = await openRealServer();
  const stage = await openStage(server);
  try {
    await t.test("without permissions it says which are missing, and works once it has them", async () => {
      const args = ["--namespace", namespace, "--install-crds"];
      const operator = stage.start("stranger", args);
      const missing = /^not allowed: customresourcedefinitions.* is forbidden.*output of --print-rbac; retrying/;
      await until(() => assert.ok(operator.lines().some(({ msg }) => missing.test(msg))));
      await stage.grant(args);
      await operator.ready();
      assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
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
