import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ask } from "./serving/load.ts";
import { Machine, missingKubectl, until } from "./serving/machine.ts";

const skip = await missingKubectl();
const examples = join(import.meta.dirname, "../../../examples");

/** What KServe's manifest brings, as far as its names go. Nothing here carries it out. */
const kserve = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: inferenceservices.serving.kserve.io }
spec:
  group: serving.kserve.io
  scope: Namespaced
  names: { kind: InferenceService, plural: inferenceservices, singular: inferenceservice, shortNames: [isvc] }
  versions:
    - name: v1beta1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
      subresources: { status: {} }
`;

describe("the example of each API that needs nothing but this machine", { skip }, () => {
  const machine = new Machine();
  before(() => machine.up());
  after(() => machine.remove());

  async function serves(example: string, model: string, gateway = machine.gateway): Promise<void> {
    await machine.kubectl("apply", "-f", join(examples, example));
    let last = "";
    await until(`${example} answers`, async () => {
      const { status, text } = await ask(gateway, model);
      last = text;
      return status === 200;
    }).catch((error: unknown) => assert.fail(`${String(error)}: ${last}`));
    assert.match(last, /"role":"assistant"/);
  }

  it("LLMKube", () => serves("llmkube/demo.yaml", "demo"));

  it("OME", () => serves("ome/laptop.yaml", "chat"));

  it("AIM, by its name and behind its path, also where KServe's definitions are applied", async () => {
    await machine.apply(kserve);
    await serves("aim/laptop.yaml", "trivium/demo", `${machine.gateway}/default/laptop`);
    await serves("aim/laptop.yaml", "trivium/demo");
    const { items } = await machine.get<{ items: unknown[] }>("/apis/serving.kserve.io/v1beta1/inferenceservices");
    assert.deepEqual(items, []);
    const { status } = await machine.get<{ status: { status: string } }>(
      "/apis/aim.silogen.ai/v1alpha1/namespaces/default/aimservices/laptop",
    );
    assert.equal(status.status, "Running");
  });
});
