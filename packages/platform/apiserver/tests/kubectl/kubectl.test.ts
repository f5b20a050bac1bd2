import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startCluster } from "./cluster.ts";
import { findKubectl } from "./find-kubectl.ts";
import { calls } from "./kubectl.ts";
import type { Scenario, Stage } from "./scenario.ts";
import { applying } from "./scenarios/applying.ts";
import { deleting } from "./scenarios/deleting.ts";
import { discovery } from "./scenarios/discovery.ts";
import { hostile } from "./scenarios/hostile.ts";
import { imperative } from "./scenarios/imperative.ts";
import { patching } from "./scenarios/patching.ts";
import { reading } from "./scenarios/reading.ts";
import { serverSideApply } from "./scenarios/server-side-apply.ts";
import { validating } from "./scenarios/validating.ts";
import { waiting } from "./scenarios/waiting.ts";
import { workloads } from "./scenarios/workloads.ts";
import { openTheatre, type Theatre } from "./stage.ts";

const scenarios: Record<string, Scenario> = {
  discovery,
  reading,
  applying,
  "server-side-apply": serverSideApply,
  patching,
  workloads,
  imperative,
  validating,
  hostile,
  deleting,
  waiting,
};

const kubectl = await findKubectl();
const isMissing = "missing" in kubectl;
if (isMissing && process.env.CI !== undefined) {
  it("kubectl is there in CI", () => assert.fail(kubectl.missing));
}

describe("kubectl", { skip: isMissing ? kubectl.missing : false, concurrency: 3 }, () => {
  let theatre: Theatre | undefined;
  before(async () => {
    if (!isMissing) theatre = await openTheatre(kubectl.path, startCluster);
  });
  after(async () => {
    await theatre?.close();
    console.log(`kubectl was called ${calls.count} times`);
    assert.ok(calls.count >= 60, `kubectl was called ${calls.count} times only`);
  });
  for (const [name, scenario] of Object.entries(scenarios)) {
    describe(name, { concurrency: 1 }, () => {
      let stage: Stage | undefined;
      before(async () => {
        stage = await theatre?.stageFor(name);
      });
      scenario(() => {
        assert.ok(stage !== undefined, "the stage is not set");
        return stage;
      });
    });
  }
});
