import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { ome } from "@trivium/ome";
import { createRuntime, type Runtime } from "@trivium/runtime";
import { HubServer } from "@trivium/testkit";
import { parse, stringify } from "yaml";
import { type ControlPlane, startControlPlane } from "../../../tools/cluster/control-plane.ts";
import { AgentProcess } from "./node-agent/agent-process.ts";
import { until } from "./node-agent/until.ts";

const plane = await startControlPlane();
const skip = typeof plane === "string" ? plane : false;
const repository = join(import.meta.dirname, "../../..");
const account = "system:serviceaccount:ome:trivium-node-agent";
const megabyte = 1024 * 1024;

interface Model {
  readonly spec: { readonly modelArchitecture?: string; readonly storage: { readonly path?: string } };
  readonly status?: {
    readonly state?: string;
    readonly nodesReady?: readonly string[];
    readonly conditions?: readonly { readonly reason: string; readonly message: string }[];
  };
}

describe("the agent of a node, with the rights that its manifests give it, on a real control plane", { skip }, () => {
  const real = plane as ControlPlane;
  const hub = new HubServer();
  const folder = mkdtempSync(join(tmpdir(), "trivium-agent-"));
  const root = join(folder, "models");
  const kubeconfig = join(folder, "kubeconfig");
  const kubectl = (command: string, input?: string) => real.kubectl(command.split(" "), input);
  const apply = (object: object) =>
    real.kubectl(["apply", "--server-side", "--validate=strict", "-f", "-"], JSON.stringify(object));
  const get = async <T>(what: string) => JSON.parse(await kubectl(`get ${what} -o json`)) as T;
  const modelOf = (name: string) => get<Model>(`clusterbasemodel ${name}`);
  const labelOf = async (name: string, node = "n1"): Promise<string | undefined> => {
    const { metadata } = await get<{ metadata: { labels?: Record<string, string> } }>(`node ${node}`);
    return metadata.labels?.[`models.ome.io/clusterbasemodel.${name}`];
  };
  const isReady = async (name: string) =>
    (await modelOf(name)).status?.state === "Ready" && (await labelOf(name)) === "Ready";
  const node = (name: string) =>
    apply({ apiVersion: "v1", kind: "Node", metadata: { name, labels: { disk: "large" } } });
  const model = (name: string, storageUri: string, storage: object = {}) =>
    apply({
      apiVersion: "ome.io/v1beta1",
      kind: "ClusterBaseModel",
      metadata: { name },
      spec: { storage: { storageUri, path: join(root, name), ...storage } },
    });
  let transport: HttpTransport;
  let operator: Runtime;
  let agent: AgentProcess;
  const start = async (...flags: string[]) => {
    agent = new AgentProcess({ kubeconfig, node: "n1", root, flags, env: { HF_ENDPOINT: hub.endpoint, HOME: folder } });
    await agent.running;
  };

  before(async () => {
    await hub.listen();
    hub.files.set("config.json", { content: Buffer.from('{"architectures":["LlamaForCausalLM"]}'), isLarge: false });
    hub.files.set("weights.bin", { content: Buffer.alloc(12 * megabyte, 7), isLarge: true });
    const kinds = ["basemodels", "clusterbasemodels", "finetunedweights"].map((plural) => `${plural}.ome.io`);
    const crds = kinds.flatMap((kind) => ["-f", join(repository, `deploy/crds/ome/${kind}.yaml`)]);
    await real.kubectl(["apply", "--server-side", ...crds]);
    await until("all kinds are served", async () => (await kubectl(`get ${kinds.join(",")} -A`)) === "");
    transport = httpTransport(await loadKubeconfig(real.kubeconfig));
    const reconcilers = ome.reconcilers.filter(({ kind }) => kinds.includes(`${kind.plural}.ome.io`));
    operator = createRuntime({ client: createClient(transport), reconcilers, answers: [] });
    await operator.start();
    await node("n1");
  });

  after(async () => {
    await agent?.end("SIGKILL");
    await operator?.stop();
    await transport?.close();
    await hub.close();
    await real.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the manifests are accepted to the letter, and a pod is made for each node", async () => {
    const files = ["rbac.yaml", "daemon-set.yaml"].flatMap((file) => ["-f", join(repository, "deploy/agent", file)]);
    await real.kubectl(["apply", "--server-side", "--validate=strict", ...files]);
    await until("a pod is made for the node", async () => {
      const wanted = "{.status.desiredNumberScheduled}";
      return (await kubectl(`get daemonset trivium-node-agent -n ome -o jsonpath=${wanted}`)) === "1";
    });
    const token = (await kubectl("create token trivium-node-agent -n ome --duration=1h")).trim();
    const config = parse(readFileSync(real.kubeconfig, "utf8")) as { users: { user: object }[] };
    for (const each of config.users) each.user = { token };
    writeFileSync(kubeconfig, stringify(config));
  });

  test("the account may do what it needs, and no more", async () => {
    const may = async (words: string): Promise<boolean> =>
      (await kubectl(`auth can-i ${words} --as=${account}`).catch(() => "no")).trim() === "yes";
    for (const words of ["patch nodes", "watch clusterbasemodels", "patch configmaps -n ome", "get secrets -n ome"])
      assert.ok(await may(words), words);
    for (const words of [
      "update nodes",
      "delete nodes",
      "patch clusterbasemodels",
      "delete configmaps -n ome",
      "get configmaps -n default",
      "get secrets -n default",
      "list secrets -n ome",
      "get pods -n ome",
    ])
      assert.ok(!(await may(words)), words);
  });

  test("brings a model, labels the node, says what it found, and is well", async () => {
    await start();
    await model("first", "hf://org/repo");
    await until("the model is ready", () => isReady("first"));
    assert.equal(readFileSync(join(root, "first/weights.bin")).length, 12 * megabyte);
    await until(
      "what was read is in the spec",
      async () => (await modelOf("first")).spec.modelArchitecture === "LlamaForCausalLM",
    );
    for (const path of ["/livez", "/healthz", "/readyz"]) assert.equal((await fetch(agent.health + path)).status, 200);
    const metrics = await (await fetch(`${agent.health}/metrics`)).text();
    const subject = 'model_type="ClusterBaseModel",namespace="",name="first"';
    assert.ok(metrics.includes(`model_agent_downloads_success_total{${subject}} 1`));
    assert.match(metrics, /model_agent_download_duration_seconds_count\{.*name="first"\} 1/);
    assert.match(metrics, /process_resident_memory_bytes \d+/);
  });

  test("labels and entries that somebody takes away come back", async () => {
    await kubectl("label node n1 models.ome.io/clusterbasemodel.first-");
    await real.kubectl([
      "patch",
      "configmap",
      "n1",
      "-n",
      "ome",
      "--type=json",
      "-p",
      '[{"op":"remove","path":"/data/clusterbasemodel.first"}]',
    ]);
    await until("both are back", async () => {
      const { data, metadata } = await get<{ data?: object; metadata: { labels: object } }>("configmap n1 -n ome");
      return (
        "clusterbasemodel.first" in (data ?? {}) &&
        "models.ome/basemodel-status" in metadata.labels &&
        (await isReady("first"))
      );
    });
  });

  test("killed in the middle of a download it goes on where it was", async () => {
    hub.commit = "b".repeat(40);
    hub.files.set("weights.bin", { content: Buffer.alloc(12 * megabyte, 9), isLarge: true });
    hub.served = 0;
    hub.stopAfter = 7 * megabyte;
    await model("halved", `hf://org/repo@${hub.commit}`);
    await hub.untilStopped();
    assert.equal(await agent.end("SIGKILL"), "SIGKILL");
    assert.equal(await labelOf("halved"), "Updating");
    hub.resume();
    await start();
    await until("the model is ready", () => isReady("halved"));
    // What was under way when it was killed may come twice: at most a piece of each connection.
    assert.ok(hub.served < 18 * megabyte, `${hub.served} bytes were served`);
    assert.equal(await labelOf("first"), "Ready");
  });

  test("a model deleted while the agent was away: its files go at the next start; a moved one is moved", async () => {
    await agent.end("SIGTERM");
    await kubectl("annotate clusterbasemodel first ome.io/force-delete=true");
    await kubectl("delete clusterbasemodel first --timeout=50s");
    await model("halved", `hf://org/repo@${hub.commit}`, { path: join(root, "elsewhere") });
    assert.ok(existsSync(join(root, "first/weights.bin")));
    const { served } = hub;
    await start();
    await until(
      "the files are gone",
      async () => !existsSync(join(root, "first")) && !existsSync(join(root, "halved")),
    );
    await until("it is ready at its new place", () => isReady("halved"));
    assert.ok(existsSync(join(root, "elsewhere/weights.bin")));
    const blobs = (): string[] => readdirSync(join(root, ".trivium/blobs/sha256"));
    await until("the store has the files of what is left", async () => blobs().length === 2);
    assert.equal(await labelOf("first"), undefined);
    assert.equal(hub.served, served, "what only moves is not fetched again");
  });

  test("a node that disappears with the only copy is nobody's word, and back it needs no download", async () => {
    const { served } = hub;
    await kubectl("delete node n1 --timeout=50s");
    await until("nobody holds it, and the word of the node is gone", async () => {
      const { status } = await modelOf("halved");
      const reports = await get<{ items: object[] }>("configmap -n ome -l models.ome/basemodel-status=true");
      return (
        status?.state === "In_Transit" &&
        status.conditions?.[0]?.reason === "NoEligibleNode" &&
        reports.items.length === 0
      );
    });
    assert.equal((await fetch(`${agent.health}/readyz`)).status, 503);
    await node("n1");
    await until("it is held again", () => isReady("halved"));
    assert.equal(hub.served, served);
  });

  test("what cannot be is told and healed: a path outside, one folder for two, a Secret that may not be read", async () => {
    const reason = async (name: string) => (await modelOf(name)).status?.conditions?.[0]?.message ?? "";
    await model("outside", "hf://org/repo/config.json", { path: "/etc/models" });
    await until("the path is refused", async () =>
      /Node n1: storage\.path \/etc\/models is not in an allowed folder of this node .*--models-root/.test(
        await reason("outside"),
      ),
    );
    await model("second", "hf://org/repo/config.json", { path: join(root, "elsewhere") });
    await until("whose folder it is is told", async () =>
      /already used by clusterbasemodel\.halved for other files in .*elsewhere; change storage.path/.test(
        await reason("second"),
      ),
    );
    await model("second", "hf://org/repo/config.json", { path: join(root, "second") });
    await until("with a folder of its own it is ready", () => isReady("second"));
    await kubectl("create namespace team");
    await kubectl("create secret generic hub -n team --from-literal=token=hf_good");
    await apply({
      apiVersion: "ome.io/v1beta1",
      kind: "BaseModel",
      metadata: { name: "closed", namespace: "team" },
      spec: { storage: { storageUri: "hf://org/repo/config.json", key: "hub", path: join(root, "closed") } },
    });
    const reported = async () => JSON.stringify((await get<Model>("basemodel closed -n team")).status ?? {});
    await until("the missing right is named", async () =>
      /bind ClusterRole trivium-node-agent-secrets to its service account/.test(await reported()),
    );
    assert.ok(!(await reported()).includes("hf_good"));
    await kubectl(
      "create rolebinding agent -n team --clusterrole=trivium-node-agent-secrets --serviceaccount=ome:trivium-node-agent",
    );
    await until("with the right it is ready", async () => (await reported()).includes('"state":"Ready"'));
  });

  test("who cannot start says why in one line", async () => {
    const none = new AgentProcess({ kubeconfig: join(folder, "none"), node: "n1", root });
    await assert.rejects(none.running, /error: .*none.*\(--kubeconfig, --context\)/);
    assert.equal(await none.end("SIGKILL"), 1);
  });

  test("ends at once when it is asked to, and leaves everything as it is", async () => {
    assert.equal(await agent.end("SIGTERM"), 0);
    assert.equal(await labelOf("halved"), "Ready");
    assert.equal(agent.errors, "");
  });
});
