import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Machine, missingKubectl, until } from "./serving/machine.ts";
import { OneFileHub } from "./serving/one-file-hub.ts";

const skip = await missingKubectl();
const root = join(import.meta.dirname, "../../..");

interface Service {
  readonly status?: {
    readonly status?: string;
    readonly routing?: { readonly path?: string };
    readonly conditions?: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
  };
}

describe("services of AIM on one machine", { skip }, () => {
  const machine = new Machine();
  const hub = new OneFileHub("demo.gguf", readFileSync(join(root, "examples/models/demo/demo.gguf")));
  let endpoint = "";
  const service = (name: string) => machine.get<Service>("aimservices", name);
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
    await machine.up();
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
    assert.match((await readyOf("second"))?.message ?? "", /default\/tiny, which had it first/);
    await machine.kubectl("delete", "aimservice", "tiny");
    await until("the path is taken over", async () => (await service("second")).status?.status === "Running");
  });

  it("says plainly what an image needs that cannot run here", async () => {
    await machine.apply(manifest("image", "baseImage: amdenterpriseai/aim-base:latest").replace("/team/", "/image/"));
    const isTold = async () => (await readyOf("image"))?.reason === "ImagePullBackOff";
    await until("it is told", isTold);
    assert.match((await readyOf("image"))?.message ?? "", /cannot run as a local process.*podman or docker/);
  });
});
