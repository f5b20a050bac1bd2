import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { HubServer } from "@trivium/testkit";
import { ask } from "./serving/load.ts";
import { loraAdapter } from "./serving/lora-adapter.ts";
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

interface ObservedModel {
  readonly status?: { readonly state?: string; readonly conditions?: readonly { readonly message: string }[] };
}

describe("models, runtimes and services of OME on one machine", { skip }, () => {
  const machine = new Machine();
  const hub = new HubServer();
  const service = (name: string) =>
    machine.get<Service>(`/apis/ome.io/v1beta1/namespaces/default/inferenceservices/${name}`);
  const isReady = async (name: string): Promise<boolean> =>
    (await service(name)).status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ===
    true;

  before(async () => {
    await hub.listen();
    const content = readFileSync(join(root, "examples/models/demo/demo.gguf"));
    hub.files.set("demo.gguf", { content, isLarge: true });
    process.env.HF_ENDPOINT = hub.endpoint;
    writeFileSync(join(machine.home, "trivium.yaml"), "modelRoots: [/mnt/data/models, /raid/models]\n");
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
    const { data } = (await (await fetch(`${machine.gateway}/v1/models`)).json()) as { data: { service: string }[] };
    const listed = data.map(({ service }) => service).filter((name) => name.startsWith("default/chat"));
    assert.deepEqual(listed, ["default/chat"]);
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
    assert.match(message, /llama-cpp \(.*format name: the model has onnx, the runtime requires gguf/);
  });

  it("tells whoever writes what cannot be, and what is not there yet", async () => {
    const refused = (manifest: string) =>
      machine.apply(manifest).then(
        () => "stored",
        (error: Error) => error.message,
      );
    const head = "apiVersion: ome.io/v1beta1\nkind:";
    const decoder = `${head} InferenceService\nmetadata: { name: lame, namespace: default }\nspec: { decoder: {} }\n`;
    assert.match(await refused(decoder), /spec\.decoder: Forbidden: a decoder requires an engine/);
    const nowhere = `${head} ClusterBaseModel\nmetadata: { name: nowhere }\nspec: { storage: { storageUri: "ftp://x" } }\n`;
    assert.match(await refused(nowhere), /spec\.storage\.storageUri: Invalid value: "ftp:\/\/x": unknown storage type/);
    const deletion = machine.kubectl("delete", "clusterbasemodel/demo", "--dry-run=server", "--warnings-as-errors");
    await assert.rejects(deletion, /Warning: still used by InferenceService default\/chat/);
    const mode = "jsonpath={.metadata.annotations.ome\\.io/deploymentMode}";
    assert.equal(await machine.kubectl("get", "inferenceservices.ome.io", "chat", "-o", mode), "RawDeployment");
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

  it("takes a catalogue that was written for another machine, and says how to allow a folder that it does not know", async () => {
    const entry = (name: string, path: string) => `
apiVersion: ome.io/v1beta1
kind: ClusterBaseModel
metadata: { name: ${name} }
spec:
  storage: { storageUri: "hf://org/repo", path: ${path} }
`;
    const names = Array.from({ length: 20 }, (_, at) => `listed-${at}`);
    const catalogue = names.map((name) => entry(name, `/raid/models/org/${name}`));
    await machine.apply([...catalogue, entry("stray", "/srv/models/org/stray")].join("---"));
    const state = async (name: string): Promise<string> => {
      const { status } = await machine.get<ObservedModel>(`/apis/ome.io/v1beta1/clusterbasemodels/${name}`);
      return `${status?.state ?? ""}${status?.conditions?.[0]?.message ?? ""}`;
    };
    for (const name of names) await until(`${name} is held`, async () => (await state(name)).startsWith("Ready"));
    assert.ok(existsSync(join(machine.home, "model-roots/raid/models/org/listed-7/demo.gguf")));
    await until("the stray one is refused", async () => (await state("stray")).startsWith("Failed"));
    assert.match(
      await state("stray"),
      /storage.path \/srv\/models\/org\/stray is not in an allowed .*\(allowed: \/mnt\/data\/models, \/raid\/models\); start trivium up with --models-root \/srv\/models, or add/,
    );
    await machine.kubectl("delete", "clusterbasemodel", "stray", ...names);
  });

  it("serves an adapter on top of the model: it answers otherwise than the model alone, and one that does not fit says so", async () => {
    hub.files.set("poet.gguf", { content: loraAdapter(), isLarge: true });
    hub.files.set("misfit.gguf", { content: loraAdapter(64), isLarge: true });
    await machine.apply(["poet", "misfit"].map(tuned).join("---"));
    await until("the service answers", () => isReady("poet-chat"));
    const alone = await ask(machine.gateway, "chat");
    for (const name of ["poet-chat", "poet"]) {
      const { status, text } = await ask(machine.gateway, name);
      assert.equal(status, 200, text);
      assert.notEqual(contentOf(text), contentOf(alone.text));
    }
    // The engine ends over an adapter that fits no layer, and says which.
    const failure = async () => (await service("misfit-chat")).status?.modelStatus?.lastFailureInfo;
    await until("the end of the engine is told", async () => (await failure())?.reason === "ModelLoadFailed");
    assert.match(
      (await failure())?.message ?? "",
      /Pod misfit-chat-engine-\S+ keeps crashing \(exit code 1\)\. Last log line: .*Failed to initialize LoRA adapter/s,
    );
    const services = ["poet-chat", "misfit-chat"].map((name) => `inferenceservices.ome.io/${name}`);
    await machine.kubectl("delete", ...services, "finetunedweight/poet", "finetunedweight/misfit");
    assert.deepEqual(readdirSync(join(machine.home, "models/fine-tuned-weights")), []);
  });

  it("puts the label back that somebody took, and starts no pod anew for it", async () => {
    const pods = () => machine.kubectl("get", "pods", "-l", "ome.io/inferenceservice=chat", "-o", "name");
    const before = await pods();
    await machine.kubectl("label", "nodes", "--all", "models.ome.io/clusterbasemodel.demo-");
    await until("the label is back", async () => {
      const { items } = await machine.get<{ items: { metadata: { labels: Record<string, string> } }[] }>(
        "/api/v1/nodes",
      );
      return items[0]?.metadata.labels["models.ome.io/clusterbasemodel.demo"] === "Ready";
    });
    assert.equal(await pods(), before);
  });
});

const contentOf = (answer: string): string =>
  (JSON.parse(answer) as { choices: { message: { content: string } }[] }).choices[0]?.message.content ?? "";

const tuned = (name: string): string => `
apiVersion: ome.io/v1beta1
kind: FineTunedWeight
metadata: { name: ${name} }
spec:
  baseModelRef: { name: demo }
  modelType: LoRA
  hyperParameters: { strategy: lora }
  storage: { storageUri: "hf://org/repo/${name}.gguf" }
---
apiVersion: ome.io/v1beta1
kind: InferenceService
metadata: { name: ${name}-chat, namespace: default }
spec:
  model: { name: demo, fineTunedWeights: [${name}] }
  engine: { minReplicas: 1, maxReplicas: 1 }
`;
