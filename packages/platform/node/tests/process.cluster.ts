import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { type ControlPlane, startControlPlane } from "../../../../tools/cluster/control-plane.ts";
import { LogBook, NodeAgent, processSandbox, type Sandbox } from "../src/index.ts";
import { type KubeletEndpoint, serveKubelet } from "../src/logs/kubelet-endpoint.ts";
import { plainSetups } from "./process-setup.ts";
import { eventually, processesWith, shell } from "./process-stage.ts";

const plane = await startControlPlane();
const skip = typeof plane === "string" ? plane : false;

describe("processes on a real control plane", { skip }, () => {
  const real = plane as ControlPlane;
  let root: string;
  let transport: HttpTransport;
  let endpoint: KubeletEndpoint;
  let sandbox: Sandbox;
  let agent: NodeAgent;
  const failures: string[] = [];
  const kubectl = (command: string, input?: string) => real.kubectl(command.split(" "), input);
  const apply = (...items: object[]) =>
    kubectl("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items }));

  before(async () => {
    root = await mkdtemp(join(tmpdir(), "trivium-node-"));
    transport = httpTransport(await loadKubeconfig(real.kubeconfig));
    const now = () => Date.now();
    const logs = new LogBook(now);
    const onError = (what: string, error: unknown) => failures.push(`${what}: ${error}`);
    endpoint = await serveKubelet({ logs, now, ...real.kubelet });
    sandbox = await processSandbox({ root, setups: plainSetups(root), onError });
    const profile = { name: "here", address: "127.0.0.1" };
    const client = createClient(transport);
    agent = new NodeAgent({ profile, client, sandbox, logs, kubeletPort: endpoint.port, onError });
    await agent.start();
    await kubectl("wait node/here --for=condition=Ready --timeout=180s");
  });

  after(async () => {
    await agent?.stop();
    await sandbox?.retain?.([]);
    await endpoint?.close();
    await transport?.close();
    await real.stop();
    assert.deepEqual(await processesWith(root), []);
    await rm(root, { recursive: true, force: true });
  });

  test("a Deployment serves, rolls out and scales to nothing, and its processes with it", async () => {
    const command = "echo version $VERSION; exec sleep 1000";
    const deployment = (version: string) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            terminationGracePeriodSeconds: 2,
            containers: [{ ...shell("main", command), env: [{ name: "VERSION", value: version }] }],
          },
        },
      },
    });
    await apply(deployment("one"));
    await kubectl("rollout status deployment/web --timeout=180s");
    // A container without a probe is ready before its process has printed anything.
    await eventually(
      async () => /^version one\n$/.test(await kubectl("logs deployment/web")),
      "the first version is logged",
    );
    await apply(deployment("two"));
    await kubectl("rollout status deployment/web --timeout=180s");
    // Not with kubectl wait: it fails for a pod of the version before that is deleted meanwhile.
    const versions = "get pods -l app=web -o jsonpath={.items[*].spec.containers[0].env[0].value}";
    await eventually(async () => (await kubectl(versions)) === "two two", "only pods of the second version are left");
    await eventually(
      async () => /^(version two\n){2}$/.test(await kubectl("logs -l app=web --prefix=false")),
      "both pods have logged the second version",
    );
    await kubectl("scale deployment/web --replicas=0");
    await kubectl("wait pod -l app=web --for=delete --timeout=180s");
    await eventually(async () => (await processesWith(root)).length === 0, "no process is left");
  });

  test("Jobs complete and fail by the exit codes of their processes", async () => {
    const job = (name: string, script: string) => ({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name, namespace: "default" },
      spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never", containers: [shell("main", script)] } } },
    });
    await apply(job("good", "echo done"), job("bad", "echo broken; exit 3"));
    await kubectl("wait job/good --for=condition=Complete --timeout=180s");
    await kubectl("wait job/bad --for=condition=Failed --timeout=180s");
    assert.equal(await kubectl("logs job/bad"), "broken\n");
    const code = "{.items[0].status.containerStatuses[0].state.terminated.exitCode}";
    assert.equal(await kubectl(`get pods -l job-name=bad -o jsonpath=${code}`), "3");
  });

  test("a crash loop is seen in the words people know", async () => {
    await apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "crash", namespace: "default" },
      spec: { containers: [shell("main", "echo tried; exit 1")] },
    });
    const waiting = "{.status.containerStatuses[0].state.waiting.reason}";
    await kubectl(`wait pod/crash --for=jsonpath=${waiting}=CrashLoopBackOff --timeout=180s`);
    assert.equal(await kubectl("logs crash --previous"), "tried\n");
    assert.match(
      await kubectl("describe pod crash"),
      /BackOff .*Back-off restarting failed container main in pod crash/,
    );
    await kubectl("delete pod crash --timeout=180s");
  });

  test("nothing went wrong behind the scenes", () => {
    assert.deepEqual(
      failures.filter((line) => !/Conflict|has been modified/.test(line)),
      [],
    );
  });
});
