import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { CustomResourceDefinition, isReason, type KubeClient } from "@trivium/kube";
import { createLlmkube, InferenceService } from "@trivium/llmkube";
import { dialectDefinitions } from "@trivium/local";
import { type Backend, clusterBackend, HubServer, until } from "@trivium/testkit";
import { type ControlPlane, startControlPlane } from "../../../tools/cluster/control-plane.ts";
import { temporaryHome, trivium } from "./running.ts";

const demo = join(import.meta.dirname, "../../../examples/models/demo/demo.gguf");
const plane = await startControlPlane();
const skip = typeof plane === "string" ? plane : false;
const uri = "hf://org/repo/demo-Q8_0.gguf";
const bytes = readFileSync(demo).length;

describe("run on a cluster", { skip }, () => {
  const { kubeconfig, stop } = plane as ControlPlane;
  const folder = temporaryHome();
  let hub: HubServer;
  let transport: HttpTransport;
  let client: KubeClient;
  let backend: Backend | undefined;
  const failures: string[] = [];

  async function call(words: readonly string[], env: Record<string, string> = {}) {
    const home = { HOME: folder.path, TRIVIUM_HOME: join(folder.path, "home"), KUBECONFIG: "" };
    const done = trivium(words, { ...home, HF_ENDPOINT: hub.endpoint, ...env });
    return { code: await done.ended, output: done.output(), errors: done.errors() };
  }

  before(async () => {
    hub = await new HubServer().listen();
    hub.files.set("demo-Q8_0.gguf", { content: readFileSync(demo), isLarge: true });
    transport = httpTransport(await loadKubeconfig(kubeconfig));
    client = createClient(transport);
  });

  after(async () => {
    await backend?.stop();
    await transport?.close();
    await hub?.close();
    await stop();
    folder.remove();
  });

  test("a cluster without the API is refused with what to do", async () => {
    const { code, errors } = await call(["run", "org/repo", "--serve", "--kubeconfig", kubeconfig]);
    assert.equal(code, 1);
    assert.match(
      errors,
      /^error: inference\.llmkube\.dev\/v1alpha1 Model is not served; install Trivium in the cluster \(docs\/guides\/install\.md\)$/m,
    );
  });

  test("a file of this machine is refused, and no control plane is started for it", async () => {
    const { code, errors } = await call(["run", demo, "--serve"], { KUBECONFIG: kubeconfig });
    assert.equal(code, 1);
    assert.match(
      errors,
      /^error: \S+demo\.gguf is on this machine, and cluster https:\S+ cannot read it; name a repository /,
    );
    assert.match((await call(["status"])).output, /^no control plane runs/);
  });

  test("a repository is served by the cluster, listed and removed", async () => {
    await installDefinitions(client);
    backend = await clusterBackend({
      client,
      operatorClient: client,
      operator: () => createLlmkube().reconcilers,
      onError: (message, fields) => failures.push(`${message} ${JSON.stringify(fields)}`),
    })({
      name: "cli-run",
      given: {
        about: "",
        nodes: [{ name: "n1" }],
        answers: {
          sourceHead: { [uri]: { version: "1", length: bytes } },
          repositoryFiles: { [uri]: { "demo-Q8_0.gguf": bytes } },
          modelHeader: { [uri]: {} },
        },
      },
    });
    const { namespace } = backend;
    const place = ["--kubeconfig", kubeconfig, "--namespace", namespace];
    const served = await call(["run", "org/repo", "--serve", ...place]);
    assert.equal(served.code, 0, served.errors);
    assert.match(served.errors, /^download +2\.9Mi$/m);
    assert.match(served.errors, new RegExp(`^serving +Service ${namespace}/repo of https:\\S+ \\(model repo\\)$`, "m"));
    assert.match(served.errors, /^address +http:\/\/127\.0\.0\.1:8080\/v1 after kubectl port-forward /m);
    const listed = await call(["get", "--namespace", namespace], { KUBECONFIG: kubeconfig });
    assert.match(listed.output, /^repo +llmkube +repo +llamacpp +1\/1 +Ready /m);
    const removed = await call(["rm", "repo", "--namespace", namespace], { KUBECONFIG: kubeconfig });
    assert.equal(removed.output, "Model repo deleted\nInferenceService repo deleted\n", removed.errors);
    assert.deepEqual(failures, []);
  });
});

async function installDefinitions(client: KubeClient): Promise<void> {
  for (const definition of dialectDefinitions())
    await client.create(CustomResourceDefinition, definition).catch((error: unknown) => {
      if (!isReason(error, "AlreadyExists")) throw error;
    });
  await until(() =>
    client.list(InferenceService).then(
      () => true,
      (error: unknown) => !isReason(error, "NotFound"),
    ),
  );
}
