import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ComponentSpecs } from "./component.ts";
import { type InstalledApis, type ServiceRequest, settleModes } from "./deployment-mode.ts";

const everything: InstalledApis = { hasGroups: true, hasKnative: true };
const nothing: InstalledApis = { hasGroups: false, hasKnative: false };
const unsaid: ServiceRequest = { annotations: undefined, defaultMode: undefined };
const annotated = (mode: string): ServiceRequest => ({
  annotations: { "ome.io/deploymentMode": mode },
  defaultMode: undefined,
});

const settled = (specs: ComponentSpecs, request: ServiceRequest, installedApis: InstalledApis) => {
  const found = settleModes(specs, request, installedApis);
  return found.is === "settled" ? found.modes : found.note;
};

describe("modes that can be had", () => {
  test("who may sleep is Knative's where there is Knative, and a Deployment elsewhere", () => {
    const specs = { engine: { minReplicas: 0 }, router: { minReplicas: 0 } };
    assert.deepEqual(settled(specs, unsaid, everything), { engine: "Serverless", router: "Serverless" });
    assert.deepEqual(settled(specs, unsaid, nothing), { engine: "RawDeployment", router: "RawDeployment" });
  });
  test("C2: Knative by name needs Knative", () => {
    const byEngine = { engine: { annotations: { "ome.io/deploymentMode": "Serverless" } } };
    assert.equal(settled(byEngine, unsaid, nothing), "ServerlessModeRejected");
    assert.equal(settled({ engine: {} }, annotated("Serverless"), nothing), "ServerlessModeRejected");
    assert.deepEqual(settled({ engine: {} }, annotated("Serverless"), everything), { engine: "Serverless" });
  });
  test("an engine that feeds a decoder does not ask for Knative, whoever named it", () => {
    const pair = { engine: { minReplicas: 0 }, decoder: {} };
    const both = { engine: "RawDeployment", decoder: "RawDeployment" };
    assert.deepEqual(settled(pair, annotated("Serverless"), nothing), both);
  });
  test("what the installation is used to is no demand", () => {
    const request: ServiceRequest = { annotations: undefined, defaultMode: "Serverless" };
    assert.deepEqual(settled({ engine: {} }, request, everything), { engine: "Serverless" });
    assert.deepEqual(settled({ engine: {} }, request, nothing), { engine: "RawDeployment" });
  });
  test("groups need LeaderWorkerSets, each component for itself", () => {
    const mixed = { engine: { worker: { size: 1 } }, decoder: {}, router: {} };
    assert.deepEqual(settled(mixed, unsaid, everything), {
      engine: "MultiNode",
      decoder: "RawDeployment",
      router: "RawDeployment",
    });
    assert.equal(settled(mixed, unsaid, nothing), "DeploymentModeError");
  });
});
