import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { debianPackages, pushImage, searchPathOf, startRegistry } from "@trivium/testkit";
import { loraAdapter } from "./serving/lora-adapter.ts";
import { Machine, missingKubectl, until } from "./serving/machine.ts";
import { OneFileHub } from "./serving/one-file-hub.ts";

const skip = await missingKubectl();
const root = join(import.meta.dirname, "../../..");

/** What a machine with Redis on its PATH has; empty where Redis is not available. */
async function withRedis(): Promise<Record<string, string>> {
  const redis = await debianPackages("redis-server");
  if (redis.is === "missing") return {};
  return { ...redis.environment, PATH: searchPathOf(redis) };
}

interface Service {
  readonly status?: {
    readonly status?: string;
    readonly routing?: { readonly path?: string };
    readonly conditions?: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
  };
}

const api = "/apis/aim.silogen.ai/v1alpha1/namespaces/default";

describe("services of AIM on one machine", { skip }, () => {
  const machine = new Machine();
  const hub = new OneFileHub("demo.gguf", readFileSync(join(root, "examples/models/demo/demo.gguf")));
  let endpoint = "";
  const service = (name: string) => machine.get<Service>(`${api}/aimservices/${name}`);
  const readyOf = async (name: string) =>
    (await service(name)).status?.conditions?.find(({ type }) => type === "Ready");
  const manifest = (name: string, more = ""): string => `
apiVersion: aim.silogen.ai/v1alpha1
kind: AIMService
metadata: { name: ${name}, namespace: default }
spec:
  model:
    custom:
      ${more}
      modelSources: [{ modelId: acme/tiny, sourceUri: "hf://org/repo", env: [{ name: HF_ENDPOINT, value: "${endpoint}" }] }]
      hardware: { cpu: { requests: 100m } }
  routing:
    enabled: true
    gatewayRef: { name: trivium, namespace: trivium-system }
    pathTemplate: "/team/{.spec.model.custom.modelSources[0].modelId}"
`;

  before(async () => {
    endpoint = await hub.listen();
    await machine.up(await withRedis());
  });
  after(async () => {
    await machine.remove();
    await hub.close();
  });

  it("brings weights of one's own to an answer behind the path of the route", async () => {
    await machine.apply(manifest("tiny"));
    await until("the service runs", async () => (await service("tiny")).status?.status === "Running");
    assert.equal((await service("tiny")).status?.routing?.path, "/team/acme-tiny");
    const body = { model: "acme/tiny", max_tokens: 8, messages: [{ role: "user", content: "Hello" }] };
    const answer = await fetch(`${machine.gateway}/team/acme-tiny/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    assert.match(text, /"role":"assistant"/);
  });

  it("names the service that has a path already, and takes over when it goes", async () => {
    await machine.apply(manifest("second"));
    await until("the conflict is told", async () => (await readyOf("second"))?.reason === "PathConflict");
    assert.match((await readyOf("second"))?.message ?? "", /already used by AIMService default\/tiny/);
    await machine.kubectl("delete", "aimservice", "tiny");
    await until("the path is taken over", async () => (await service("second")).status?.status === "Running");
  });

  it("serves LoRA adapters by their names with the local engine in the place of vLLM", async () => {
    const file = join(machine.home, "poet.gguf");
    writeFileSync(file, loraAdapter());
    const asked = `annotations: { trivium.dev/adapters: "poet=file://${file},second=file://${file}" }`;
    const [plain = ""] = manifest("lyric").split("  routing:");
    await machine.apply(plain.replace("namespace: default }", `namespace: default, ${asked} }`));
    await until("the service runs", async () => (await service("lyric")).status?.status === "Running");
    const answer = async (model: string): Promise<string> => {
      const response = await fetch(`${machine.gateway}/v1/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model, prompt: "Once upon a time", max_tokens: 12, temperature: 0 }),
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return (JSON.parse(text) as { choices: { text: string }[] }).choices[0]?.text ?? "";
    };
    const base = await answer("lyric");
    const poet = await answer("lyric/poet");
    assert.notEqual(poet, base);
    assert.equal(await answer("lyric/second"), poet);
    assert.equal(await answer("lyric"), base);
    await machine.kubectl("delete", "aimservice", "lyric");
  });

  it("says plainly what an image needs that cannot run here", async () => {
    await machine.apply(manifest("image", "baseImage: amdenterpriseai/aim-base:latest").replace("/team/", "/image/"));
    const isTold = async () => (await readyOf("image"))?.reason === "ImagePullBackOff";
    await until("it is told", isTold);
    assert.match((await readyOf("image"))?.message ?? "", /cannot run as a local process.*podman or docker/);
  });

  it("takes an image of AIM as far as its labels and templates, and says what is missing here", async (t) => {
    const registry = await startRegistry({
      logins: "user:$2y$05$abcdefghijklmnopqrstuuZFBUbfXoM8LFiPx8LYlO/sXZB/Cwk3K\n",
    });
    if (registry.is === "missing") return t.skip(`skipped: ${registry.why}`);
    t.after(() => registry.stop());
    const host = `127.0.0.1:${registry.port}`;
    const recommended = '[{"gpuModel":"MI300X","gpuCount":1,"metric":"latency","precision":"fp8"}]';
    const label = "com.amd.aim.model.recommendedDeployments";
    await pushImage({ host, login: "user:pass" }, "acme/aim-foo:1.0.0", { [label]: recommended });
    const login = ["--docker-username=user", "--docker-password=pass"];
    await machine.kubectl("create", "secret", "docker-registry", "login", `--docker-server=${host}`, ...login);
    await machine.apply(`
apiVersion: aim.silogen.ai/v1alpha1
kind: AIMService
metadata: { name: foo, namespace: default }
spec: { model: { image: "${host}/acme/aim-foo:1.0.0" }, imagePullSecrets: [{ name: login }] }
`);
    const tells = async (pattern: RegExp) => pattern.test((await readyOf("foo"))?.message ?? "");
    await until("the GPU is missed", () => tells(/No node has GPU model MI300X \(available: none\); add such a node/));
    // Somebody has the card, and still nothing that runs containers.
    await machine.kubectl("label", "nodes", "--all", "amd.com/gpu.device-id=74a1");
    await until("a container engine is missed", () => tells(/cannot run as a local process.*podman or docker/));
  });

  it("keeps prompts in a real Redis", async (t) => {
    const redis = await debianPackages("redis-server");
    if (redis.is === "missing") return t.skip(`skipped: ${redis.why}`);
    await machine.apply(`${manifest("caching").replace("/team/", "/caching/")}  kvCache: { name: prompts }\n`);
    await until("the service runs", async () => (await service("caching")).status?.status === "Running");
    const { status } = await machine.get<{ status: { status: string; endpoint: string } }>(
      `${api}/aimkvcaches/prompts`,
    );
    assert.equal(status.status, "Ready");
    assert.match(status.endpoint, /^redis:\/\/prompts-redis-svc-\w+\.default:6379$/);
  });
});
