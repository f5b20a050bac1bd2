import { after, before, describe, test } from "node:test";
import { aim, aimEai } from "@trivium/aim";
import { llmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";
import type { Dialect } from "@trivium/reconcile";
import { killLeftovers } from "../../../apps/operator/tests/story/operator-process.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { prepareTakeOver, type TakeOverSteps, takeOverSteps } from "./play.ts";
import { openStage, type TakeOverStage } from "./stage.ts";
import { readWorld } from "./world.ts";

const plane = await startControlPlane();
const skip = typeof plane === "string" ? plane : false;

describe("take-over on a real control plane", { skip }, () => {
  const real = plane as ControlPlane;
  after(async () => {
    killLeftovers();
    await real.stop();
  });
  const wanted = (process.env.TAKE_OVER ?? "").split(",");
  const dialects = [ome, llmkube, aim, aimEai].filter(({ name }) => wanted.some((word) => name.includes(word)));
  for (const dialect of dialects) describe(dialect.name, () => playTakeOver(real, dialect));
});

function playTakeOver({ kubeconfig }: ControlPlane, dialect: Dialect): void {
  const world = readWorld(dialect.name);
  let stage: TakeOverStage;
  let steps: TakeOverSteps;

  before(async () => {
    stage = await openStage({ kubeconfig }, world, dialect);
    steps = await prepareTakeOver({ stage, world, dialect, kubeconfig });
  });
  after(() => stage?.close());
  for (const name of takeOverSteps) test(name, () => steps[name]());
}
