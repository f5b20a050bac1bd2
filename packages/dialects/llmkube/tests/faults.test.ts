import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Event, PersistentVolumeClaim, Pod, Secret } from "@trivium/kube";
import { InferenceService, Model } from "../src/index.ts";
import { type Laptop, startLaptop } from "./laptop.ts";
import { hubToken, startModelSources } from "./model-sources.ts";

const weights = readFileSync(new URL("../../../../examples/models/demo/demo.gguf", import.meta.url));
const digest = createHash("sha256").update(weights).digest("hex");

type Conditioned = {
  readonly status?: { readonly conditions?: readonly Condition[] | null | undefined } | null | undefined;
};
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

const conditionOf = (object: Conditioned, type: string): Condition | undefined =>
  object.status?.conditions?.find((one) => one.type === type);
const says = (object: Conditioned, type: string, reason: string): boolean =>
  conditionOf(object, type)?.reason === reason && conditionOf(object, type)?.status !== "False";
/** Nothing is in its way any more; starting an engine for every healing would take long. */
const isOnItsWay = (service: InferenceService): boolean =>
  service.status?.phase !== "Failed" && conditionOf(service, "Degraded") === undefined;
const isReady = ({ status }: InferenceService): boolean => status?.phase === "Ready";

/** The demo model with another word for its architecture, as long as the right one. */
function ofAnotherArchitecture(): Buffer {
  const copy = Buffer.from(weights);
  const key = copy.indexOf("general.architecture");
  const value = copy.indexOf("llama", key);
  copy.write("lxama", value, "latin1");
  return copy;
}

/** The same weights with another name inside: another file, which answers as well. */
function renamed(): Buffer {
  return Buffer.concat([weights, Buffer.alloc(32)]);
}

async function end({ client }: Laptop, name: string): Promise<void> {
  await client.delete(InferenceService, { namespace: "default", name });
}

async function podsOf({ client }: Laptop, service: string): Promise<Pod[]> {
  const labelSelector = `inference.llmkube.dev/service=${service}`;
  return (await client.list(Pod, { namespace: "default", labelSelector })).items;
}

/** Resolves when a service has a pod that it did not have before. */
async function replaced({ client }: Laptop, service: string, before: readonly Pod[]): Promise<void> {
  const labelSelector = `inference.llmkube.dev/service=${service}`;
  const signal = AbortSignal.timeout(180_000);
  for await (const event of client.watch(Pod, { namespace: "default", labelSelector, resourceVersion: "0", signal })) {
    if (event.type !== "BOOKMARK" && !uidsOf(before).includes(event.object.metadata.uid)) return;
  }
}

/** Resolves when an Event with this reason was written. */
async function eventWritten({ client }: Laptop, reason: string): Promise<void> {
  const signal = AbortSignal.timeout(180_000);
  for await (const event of client.watch(Event, { namespace: "default", resourceVersion: "0", signal })) {
    if (event.type !== "BOOKMARK" && event.object.reason === reason) return;
  }
}

const uidsOf = (pods: readonly Pod[]): unknown[] => pods.map(({ metadata }) => metadata.uid);

/** What a person sees when a service cannot get its weights: one cause, in the right condition, with a way out. */
async function weightsFail(laptop: Laptop, name: string, expected: { reason: string; message: RegExp }): Promise<void> {
  const service = await laptop.until(
    InferenceService,
    name,
    (one) =>
      one.status?.conditions?.some(
        ({ type, reason }) => type === "ModelTransferHealthy" && reason === expected.reason,
      ) === true,
  );
  const transfer = conditionOf(service, "ModelTransferHealthy");
  assert.equal(transfer?.status, "False");
  assert.match(transfer?.message ?? "", expected.message);
  assert.equal(conditionOf(service, "Degraded")?.reason, "WeightsUnavailable");
  assert.equal(conditionOf(service, "Available")?.status, "False");
}

test("faults on one machine", { timeout: 600_000 }, async (t) => {
  const sources = await startModelSources(t);
  const laptop = await startLaptop(t, { HF_ENDPOINT: sources.hub });
  const { client, until } = laptop;
  const env = [{ name: "HF_ENDPOINT", value: sources.hub }];
  for (const path of ["/good.gguf", "/wrong.gguf", "/gated.gguf"]) sources.put(path, weights);
  sources.put("/cut.gguf", weights.subarray(0, weights.length / 2));
  sources.put("/other.gguf", ofAnotherArchitecture());
  writeFileSync(join(laptop.folder, "local.gguf"), weights);

  const remote = (path: string, more: Partial<Model["spec"]> = {}) => ({ source: sources.url(path), ...more });
  const wrong = "0".repeat(64);
  await Promise.all([
    laptop.model("good", remote("/good.gguf", { sha256: digest.toUpperCase() })),
    laptop.model("wrong", remote("/wrong.gguf", { sha256: wrong })),
    laptop.model("nowhere", remote("/nowhere.gguf", { refreshPolicy: "OnChange" })),
    laptop.model("locked", remote("/locked/m.gguf")),
    laptop.model("inside", remote("/inside/m.gguf")),
    laptop.model("gated", { source: "hf://org/gated" }),
    laptop.model("misnamed", { source: "hf://org/gated", files: ["model-Q9.gguf"] }),
    laptop.model("cut", remote("/cut.gguf")),
    laptop.model("other", remote("/other.gguf")),
    laptop.model("local", { source: join(laptop.folder, "local.gguf"), sha256: wrong }),
    laptop.model("gpu", remote("/good.gguf", { hardware: { accelerator: "cuda", gpu: { count: 1 } } })),
  ]);
  const plain = (modelRef: string) => ({ modelRef, contextSize: 256 });
  await Promise.all([
    ...["good", "wrong", "nowhere", "locked", "cut", "other", "gpu"].map((name) => laptop.service(name, plain(name))),
    laptop.service("gated", { ...plain("gated"), env }),
    laptop.service("second", plain("good")),
    laptop.service("typo", { ...plain("good"), resources: { memory: "lots" } }),
    laptop.service("crashing", { ...plain("good"), extraArgs: ["--no-such-flag"] }),
  ]);

  await t.test("two services on one Model are both ready", async () => {
    for (const name of ["good", "second"]) await until(InferenceService, name, isReady);
  });
  await t.test("a wrong sha256 is named in both objects, and its correction heals", async () => {
    await weightsFail(laptop, "wrong", {
      reason: "IntegrityCheckFailed",
      message: /expected sha256 0{64}.*correct spec.sha256/,
    });
    const model = await until(Model, "wrong", (one) => says(one, "Degraded", "IntegrityCheckFailed"));
    assert.equal(model.status?.phase, "Failed");
    assert.match(
      conditionOf(model, "Degraded")?.message ?? "",
      /Pod wrong-\S+ cannot download the weights: .*expected sha256 0{64}/,
    );
    await laptop.model("wrong", remote("/wrong.gguf", { sha256: digest }));
    await until(InferenceService, "wrong", isOnItsWay);
    await until(Model, "wrong", (one) => conditionOf(one, "Degraded")?.status === "False");
    await end(laptop, "wrong");
  });
  await t.test("a 404 is named, and heals when the file comes", async () => {
    await weightsFail(laptop, "nowhere", {
      reason: "ModelSourceNotFound",
      message: /not found \(404\); correct spec.source/,
    });
    const model = await until(Model, "nowhere", (one) => says(one, "Degraded", "SourceNotFound"));
    assert.equal(model.status?.phase, "Failed");
    sources.put("/nowhere.gguf", weights);
    await until(InferenceService, "nowhere", isReady);
    const healed = await until(
      InferenceService,
      "nowhere",
      (one) => conditionOf(one, "ModelTransferHealthy")?.status === "True",
    );
    assert.equal(conditionOf(healed, "Degraded"), undefined);
    const ready = await until(Model, "nowhere", ({ status }) => status?.phase === "Ready" && Boolean(status.sha256));
    assert.equal(ready.status?.sha256, digest);
  });
  await t.test("a 401 is named with the way to give a token", async () => {
    await weightsFail(laptop, "locked", { reason: "ModelSourceUnauthorized", message: /\(401\).*HF_TOKEN/ });
    const model = await until(Model, "locked", ({ status }) => status?.phase === "Failed");
    assert.equal(conditionOf(model, "Available")?.reason, "SourceUnauthorized");
    await end(laptop, "locked");
  });
  await t.test("a gated repository wants a token, and answers with one", async () => {
    await weightsFail(laptop, "gated", { reason: "ModelSourceUnauthorized", message: /gated.*HF_TOKEN/i });
    const metadata = { name: "hub", namespace: "default" };
    await client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata, stringData: { token: hubToken } });
    const token = { name: "HF_TOKEN", valueFrom: { secretKeyRef: { name: "hub", key: "token" } } };
    await laptop.service("gated", { ...plain("gated"), env: [...env, token] });
    await until(InferenceService, "gated", isOnItsWay);
    await end(laptop, "gated");
  });
  await t.test(
    "the one GGUF file of a repository is found, and a file that it lacks is refused with those it has",
    async () => {
      const found = await until(Model, "gated", ({ status }) => (status?.stagedFiles ?? []).length > 0);
      assert.deepEqual(found.status?.stagedFiles, ["model.gguf"]);
      const model = await until(Model, "misnamed", ({ status }) => status?.phase === "Failed");
      assert.match(conditionOf(model, "Available")?.message ?? "", /no file model-Q9.gguf; it has model.gguf/);
    },
  );
  await t.test("a redirect to a private address is not followed by the operator", async () => {
    const model = await until(Model, "inside", ({ status }) => status?.phase === "Ready");
    assert.match(
      conditionOf(model, "Available")?.message ?? "",
      /could not inspect the source: .*127\.0\.0\.1.* private or reserved/,
    );
    assert.equal(model.status?.gguf, undefined);
  });
  await t.test("a file that is cut off is named as such", async () => {
    const model = await until(Model, "cut", (one) => conditionOf(one, "SpecAccepted")?.reason === "FileUnreadable");
    assert.deepEqual([model.status?.phase, conditionOf(model, "Degraded")?.reason], ["Ready", "InvalidModelFile"]);
    const service = await until(InferenceService, "cut", (one) => says(one, "Degraded", "InvalidModelFile"));
    assert.match(conditionOf(service, "Degraded")?.message ?? "", /provide a valid file/);
    await end(laptop, "cut");
  });
  await t.test("a model of an architecture that the engine does not know is named as such", async () => {
    const service = await until(InferenceService, "other", (one) => says(one, "Degraded", "UnsupportedModel"));
    assert.match(conditionOf(service, "Degraded")?.message ?? "", /lxama/);
    await end(laptop, "other");
  });
  await t.test("the last words of an engine that falls are in the condition", async () => {
    const service = await until(InferenceService, "crashing", (one) => says(one, "Degraded", "EngineCrashed"));
    assert.match(conditionOf(service, "Degraded")?.message ?? "", /Last log line: .*--no-such-flag/);
    await laptop.service("crashing", { ...plain("good"), extraArgs: [] });
    await until(InferenceService, "crashing", isOnItsWay);
    await end(laptop, "crashing");
  });
  await t.test("a GPU that is not there is waited for, by name", async () => {
    const service = await until(InferenceService, "gpu", ({ status }) => status?.queuePosition === 1);
    assert.deepEqual([service.status?.waitingFor, service.status?.phase], ["nvidia.com/gpu: 1", "WaitingForGPU"]);
    const model = await client.get(Model, { namespace: "default", name: "gpu" });
    assert.deepEqual([model.status?.phase, model.status?.acceleratorReady], ["Ready", false]);
  });
  await t.test("a quantity that cannot be read is named by its field, and heals", async () => {
    const service = await until(InferenceService, "typo", ({ status }) => status?.phase === "Failed");
    assert.match(
      conditionOf(service, "Degraded")?.message ?? "",
      /spec.resources.memory "lots" is not a valid quantity/,
    );
    await laptop.service("typo", { ...plain("good"), resources: { memory: "64Mi" } });
    await until(InferenceService, "typo", isOnItsWay);
    await end(laptop, "typo");
  });
  await t.test("a local file with another digest is refused before any pod starts", async () => {
    const model = await until(Model, "local", ({ status }) => status?.phase === "Failed");
    assert.match(conditionOf(model, "Degraded")?.message ?? "", new RegExp(`has SHA-256 ${digest}`));
    await laptop.model("local", { source: join(laptop.folder, "local.gguf"), sha256: digest });
    await until(Model, "local", ({ status }) => status?.phase === "Ready");
  });
  await t.test("a source that changes is followed by one policy and only told by the other", async () => {
    const before = { followed: await podsOf(laptop, "nowhere"), kept: await podsOf(laptop, "good") };
    for (const path of ["/nowhere.gguf", "/good.gguf"]) sources.put(path, renamed());
    await until(Model, "good", (one) => says(one, "SourceDrifted", "UpstreamChanged"));
    await until(Model, "nowhere", ({ status }) => status?.sourceETag === "v2");
    await replaced(laptop, "nowhere", before.followed);
    await until(InferenceService, "nowhere", isReady);
    assert.deepEqual(uidsOf(await podsOf(laptop, "good")), uidsOf(before.kept));
  });
  await t.test("a pod that is older than spec.maxPodLifetimeSeconds is replaced, when it is idle", async () => {
    const before = await podsOf(laptop, "second");
    await laptop.service("second", { ...plain("good"), maxPodLifetimeSeconds: 1 });
    const service = await until(InferenceService, "second", (one) => conditionOf(one, "PodRecycling") !== undefined);
    assert.match(
      conditionOf(service, "PodRecycling")?.message ?? "",
      /^Pod second-\S+ is older than spec.maxPodLifetimeSeconds/,
    );
    await replaced(laptop, "second", before);
    await eventWritten(laptop, "PodRecycled");
    await end(laptop, "second");
  });
  await t.test("a Model that is deleted in use is missed by name, and nothing that runs ends", async () => {
    const before = await podsOf(laptop, "good");
    await client.delete(Model, { namespace: "default", name: "good" });
    const service = await until(InferenceService, "good", ({ status }) => status?.phase === "Failed");
    assert.equal(conditionOf(service, "Degraded")?.reason, "ModelNotFound");
    assert.deepEqual([conditionOf(service, "Available")?.status, service.status?.readyReplicas], ["True", 1]);
    assert.deepEqual(uidsOf(await podsOf(laptop, "good")), uidsOf(before));
    await laptop.model("good", remote("/good.gguf", { sha256: digest.toUpperCase() }));
    await until(InferenceService, "good", isReady);
  });
  await t.test("a claim that is deleted is named by the Model, and heals when it is back", async () => {
    await laptop.model("claimed", { source: "pvc://mine/m.gguf" });
    await until(Model, "claimed", (one) => says(one, "Degraded", "PVCNotFound"));
    const claim: PersistentVolumeClaim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "mine", namespace: "default" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "8Mi" } } },
    };
    await client.create(PersistentVolumeClaim, claim);
    await until(Model, "claimed", ({ status }) => status?.phase === "Ready");
    await client.delete(PersistentVolumeClaim, { namespace: "default", name: "mine" });
    const model = await until(Model, "claimed", (one) => says(one, "Degraded", "PVCNotFound"));
    assert.match(conditionOf(model, "Degraded")?.message ?? "", /PersistentVolumeClaim mine .* create it/);
  });
});
