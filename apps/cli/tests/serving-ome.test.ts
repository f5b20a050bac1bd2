import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { HubServer } from "@trivium/testkit";
import { ask } from "./serving/load.ts";
import { Machine, missingKubectl, until } from "./serving/machine.ts";

const skip = await missingKubectl();
const root = join(import.meta.dirname, "../../..");
const example = readFileSync(join(root, "examples/ome/laptop.yaml"), "utf8");

interface Service {
  readonly status?: {
    readonly url?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
    readonly modelStatus?: { readonly lastFailureInfo?: { readonly reason: string; readonly message: string } };
  };
}

describe("models, runtimes and services of OME on one machine", { skip }, () => {
  const machine = new Machine();
  const hub = new HubServer();
  const service = (name: string) => machine.get<Service>("inferenceservices.ome.io", name);
  const isReady = async (name: string): Promise<boolean> =>
    (await service(name)).status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ===
    true;

  before(async () => {
    await hub.listen();
    const content = readFileSync(join(root, "examples/models/demo/demo.gguf"));
    hub.files.set("demo.gguf", { content, isLarge: true });
    process.env.HF_ENDPOINT = hub.endpoint;
    await machine.up();
  });
  after(async () => {
    delete process.env.HF_ENDPOINT;
    await machine.remove();
    await hub.close();
  });

  it("ends in an answer, applied in the order in which nothing is there yet", async () => {
    const objects = example.split(/^---$/m);
    for (const object of objects.reverse()) await machine.apply(object);
    await until("the service answers", () => isReady("chat"));
    for (const name of ["chat", "demo"]) {
      const { status, text } = await ask(machine.gateway, name);
      assert.equal(status, 200, text);
    }
    assert.equal((await service("chat")).status?.url, "http://chat.default.svc.cluster.local:8080");
    const size = await machine.kubectl("get", "clusterbasemodel", "demo", "-o", "jsonpath={.spec.modelParameterSize}");
    assert.equal(size, "2.77M");
  });

  it("says of every runtime why it does not match", async () => {
    await machine.apply(`
apiVersion: ome.io/v1beta1
kind: BaseModel
metadata: { name: drawn, namespace: default }
spec:
  modelFormat: { name: onnx }
  storage: { storageUri: "vendor://acme/llm/drawn" }
---
apiVersion: ome.io/v1beta1
kind: InferenceService
metadata: { name: drawn, namespace: default }
spec: { model: { name: drawn }, engine: {} }
`);
    const reason = async () => (await service("drawn")).status?.modelStatus?.lastFailureInfo?.reason;
    await until("the reason is told", async () => (await reason()) === "NoSupportingRuntime");
    const message = (await service("drawn")).status?.modelStatus?.lastFailureInfo?.message ?? "";
    assert.match(message, /llama-cpp \(.*format name: the model has onnx, the runtime wants gguf/);
  });

  it("brings a model from a hub to its folder, serves it, and frees the disk when it goes", async () => {
    await machine.apply(`
apiVersion: ome.io/v1beta1
kind: ClusterBaseModel
metadata: { name: hubbed }
spec:
  vendor: acme
  storage: { storageUri: "hf://org/repo" }
---
apiVersion: ome.io/v1beta1
kind: InferenceService
metadata: { name: hubbed, namespace: default }
spec:
  model: { name: hubbed }
  engine:
    runner:
      name: ome-container
      args: [--model, $(MODEL_PATH)/demo.gguf, --host, 0.0.0.0, --port, "8080"]
`);
    await until("the service answers", () => isReady("hubbed"));
    assert.equal((await ask(machine.gateway, "hubbed")).status, 200);
    const file = join(machine.home, "models/acme/hubbed/demo.gguf");
    assert.ok(existsSync(file));
    await machine.kubectl("delete", "inferenceservices.ome.io/hubbed", "clusterbasemodel/hubbed");
    assert.ok(!existsSync(file));
    assert.deepEqual(readdirSync(join(machine.home, "weights/blobs/sha256")), []);
    const labels = await machine.kubectl("get", "nodes", "--show-labels");
    assert.ok(labels.includes("models.ome.io/clusterbasemodel.demo=Ready") && !labels.includes("hubbed"));
  });

  it("puts the label back that somebody took, and starts no pod anew for it", async () => {
    const pods = () => machine.kubectl("get", "pods", "-l", "ome.io/inferenceservice=chat", "-o", "name");
    const before = await pods();
    await machine.kubectl("label", "nodes", "--all", "models.ome.io/clusterbasemodel.demo-");
    await until("the label is back", async () =>
      (await machine.kubectl("get", "nodes", "--show-labels")).includes("models.ome.io/clusterbasemodel.demo=Ready"),
    );
    assert.equal(await pods(), before);
  });
});
