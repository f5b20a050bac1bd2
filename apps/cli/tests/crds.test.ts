import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAllDocuments } from "yaml";
import { trivium } from "./running.ts";

test("crds prints one whole definition for each kind of every dialect", async () => {
  const run = trivium(["crds"]);
  assert.equal(await run.ended, 0, run.errors());
  const names = parseAllDocuments(run.output()).map((document) => {
    assert.deepEqual(document.errors, []);
    const crd = document.toJS() as { kind: string; metadata: { name: string } };
    assert.equal(crd.kind, "CustomResourceDefinition");
    return crd.metadata.name;
  });
  assert.deepEqual(names.sort(), [
    "acceleratorclasses.ome.io",
    "aimclusterimages.aim.silogen.ai",
    "aimclustermodels.aim.silogen.ai",
    "aimclustermodelsources.aim.silogen.ai",
    "aimclusterruntimeconfigs.aim.silogen.ai",
    "aimclusterservicetemplates.aim.silogen.ai",
    "aimimages.aim.silogen.ai",
    "aimkvcaches.aim.silogen.ai",
    "aimmodelcaches.aim.silogen.ai",
    "aimmodels.aim.silogen.ai",
    "aimruntimeconfigs.aim.silogen.ai",
    "aimservices.aim.silogen.ai",
    "aimservicetemplates.aim.silogen.ai",
    "aimtemplatecaches.aim.silogen.ai",
    "basemodels.ome.io",
    "benchmarkjobs.ome.io",
    "clusterbasemodels.ome.io",
    "clusterservingruntimes.ome.io",
    "finetunedweights.ome.io",
    "gpuquotas.inference.llmkube.dev",
    "inferenceservices.inference.llmkube.dev",
    "inferenceservices.ome.io",
    "loraadapters.inference.llmkube.dev",
    "models.inference.llmkube.dev",
    "servingruntimes.ome.io",
  ]);
});

test("a reader that stops in the middle ends it quietly", async () => {
  const run = trivium(["crds"]);
  run.process.stdout?.once("data", () => run.process.stdout?.destroy());
  assert.equal(await run.ended, 0);
  assert.equal(run.errors(), "");
});
