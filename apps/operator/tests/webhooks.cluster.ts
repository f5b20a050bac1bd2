import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { freePort } from "@trivium/testkit";
import { type ControlPlane, startControlPlane } from "../../../tools/cluster/control-plane.ts";
import {
  killLeftovers,
  type OperatorProcess,
  shippedOperator,
  startOperatorProcess,
} from "./story/operator-process.ts";

const plane = await startControlPlane();
const skip = typeof plane === "string" ? plane : false;

/** A manifest of the dialect, as a person writes it. */
const manifest = (kind: string, name: string, rest: object): string =>
  JSON.stringify({ apiVersion: "ome.io/v1beta1", kind, ...rest, metadata: { name, ...metadataOf(rest) } });
const metadataOf = (rest: object): object => ("metadata" in rest ? (rest.metadata as object) : {});
const service = (name: string, spec: object, metadata: object = {}): string =>
  manifest("InferenceService", name, { metadata: { namespace: "team", ...metadata }, spec });
const model = (storageUri: string): string =>
  manifest("ClusterBaseModel", "llama", { spec: { storage: { storageUri }, modelFormat: { name: "safetensors" } } });

describe("admission webhooks, asked by a real API server", { skip }, () => {
  const { kubectl } = plane as ControlPlane;
  let folder: string;
  let operator: OperatorProcess;
  let flags: string[];

  const apply = (text: string): Promise<string> => kubectl(["apply", "--server-side", "-f", "-"], text);
  /** What kubectl says when it takes warnings for errors; the object is stored all the same. */
  const warningsOf = async (args: readonly string[], text?: string): Promise<string> =>
    kubectl([...args, "--warnings-as-errors"], text).then(
      () => "",
      (error: Error) => error.message,
    );
  const configure = async (...more: string[]): Promise<void> => {
    const args = [shippedOperator, "--print-webhooks", ...flags, ...more];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    await kubectl(["apply", "-f", "-"], stdout);
  };
  const start = async (...more: string[]): Promise<void> => {
    const { kubeconfig } = plane as ControlPlane;
    const args = ["--kubeconfig", kubeconfig, "--no-leader-election", "--listen", "off", ...flags, ...more];
    operator = startOperatorProcess(shippedOperator, args);
    await operator.ready();
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "trivium-webhooks-"));
    const address = `127.0.0.1:${await freePort()}`;
    flags = ["--webhook-listen", address, "--webhook-at", `https://${address}`, "--webhook-cert-dir", folder];
    await start("--install-crds");
    await configure();
    await kubectl(["create", "namespace", "team"]);
    // The server reads new configurations a moment after they are stored.
    for (let isAsked = false; !isAsked; ) {
      isAsked = await kubectl(["apply", "--dry-run=server", "-f", "-"], service("1st", { engine: {} })).then(
        () => false,
        () => true,
      );
    }
  });
  after(async () => {
    killLeftovers();
    for (const kind of ["mutatingwebhookconfiguration", "validatingwebhookconfiguration"])
      await kubectl(["delete", kind, "trivium-operator", "--ignore-not-found"]);
    await rm(folder, { recursive: true, force: true });
    await (plane as ControlPlane).stop();
  });

  test("the namespace of OME is there: it came with the definitions", async () => {
    assert.match(await kubectl(["get", "namespace", "ome"]), /Active/);
  });

  test("what cannot be is refused, field by field, in the words of the embedded server", async () => {
    const refused = (text: string) =>
      apply(text).then(
        () => "stored",
        (error: Error) => error.message,
      );
    const annotations = { "ome.io/autoscalerClass": "magic" };
    assert.match(
      await refused(service("1st", { engine: {}, model: { name: "llama" } }, { annotations })),
      /metadata\.name: Invalid value: "1st".*metadata\.annotations\[ome\.io\/autoscalerClass\]: Unsupported value: "magic"/s,
    );
    assert.match(
      await refused(service("chat", { decoder: {} })),
      /spec\.decoder: Forbidden: a decoder requires an engine/,
    );
    assert.match(await refused(model("ftp://x")), /spec\.storage\.storageUri: Invalid value: "ftp:\/\/x"/);
    const workers = { supportedModelFormats: [], workers: { size: 0 } };
    for (const [kind, metadata] of [
      ["ServingRuntime", { namespace: "team" }],
      ["ClusterServingRuntime", {}],
    ] as const)
      assert.match(await refused(manifest(kind, "r", { metadata, spec: workers })), /spec\.workers\.size/, kind);
    const job = {
      endpoint: { endpoint: { url: "http://x", apiFormat: "openai" } },
      task: "text-to-text",
      trafficScenarios: ["X(1)"],
      maxTimePerIteration: 1,
      maxRequestsPerIteration: 1,
      outputLocation: { storageUri: "s3://b/x" },
    };
    const metadata = { namespace: "team" };
    assert.match(await refused(manifest("BenchmarkJob", "b", { metadata, spec: job })), /spec\.trafficScenarios/);
    const weight = {
      baseModelRef: { name: "m" },
      modelType: "LoRA",
      hyperParameters: {},
      storage: { storageUri: "x" },
    };
    assert.match(await refused(manifest("FineTunedWeight", "w", { spec: weight })), /spec\.storage\.storageUri/);
  });

  test("what may come later is warned of, and what was left out is filled in", async () => {
    const chat = service("chat", { engine: {}, model: { name: "llama" } });
    const reported = await warningsOf(["apply", "-f", "-"], chat);
    assert.match(reported, /Warning: model llama not found; the service waits until it is created/);
    const mode = [
      "get",
      "-n",
      "team",
      "inferenceservices.ome.io/chat",
      "-o",
      "jsonpath={.metadata.annotations.ome\\.io/deploymentMode}",
    ];
    assert.equal(await kubectl(mode), "RawDeployment");
    const split = service("chat", { engine: {}, decoder: {}, model: { name: "llama" } });
    await kubectl(["apply", "-f", "-"], split);
    assert.equal(await kubectl(mode), "PDDisaggregated");
  });

  test("a model in use keeps its kind of storage, and whoever deletes it is told", async () => {
    await apply(model("hf://org/llama"));
    await assert.rejects(
      apply(model("s3://b/llama")),
      /cannot change from hf:\/\/ to s3:\/\/ while in use by team\/chat/,
    );
    await apply(model("hf://org/other"));
    const reported = await warningsOf(["delete", "clusterbasemodel/llama", "--wait=false"]);
    assert.match(reported, /Warning: still used by InferenceService team\/chat/);
  });

  test("while nobody answers, the policy decides", async () => {
    assert.equal(await operator.end("SIGTERM"), 0);
    const other = service("other", { engine: {}, model: { name: "llama" } });
    await assert.rejects(apply(other), /failed calling webhook "mutate\.inferenceservices\.ome\.io"/);
    await configure("--webhook-failure-policy", "Ignore");
    for (let isStored = false; !isStored; ) {
      isStored = await apply(other).then(
        () => true,
        () => false,
      );
    }
    await configure();
    await start();
    await assert.rejects(apply(service("1st", { engine: {}, model: { name: "llama" } })), /metadata\.name/);
  });
});
