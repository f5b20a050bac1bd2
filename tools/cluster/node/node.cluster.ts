// A real node: kubelet, kube-proxy, containerd and CoreDNS in namespaces of their own.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { NoCluster } from "../build.ts";
import { startCluster, stopCluster } from "../cluster.ts";
import { cgroupOf } from "./configuration.ts";
import { isNodeBuilt, readRecord } from "./node.ts";

const workload = {
  apiVersion: "v1",
  kind: "List",
  items: [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            containers: [
              {
                name: "web",
                image: "docker.io/library/busybox:1.37.0",
                command: ["sh", "-c", "echo served > /tmp/index.html && exec httpd -f -p 8080 -h /tmp"],
                readinessProbe: { httpGet: { path: "/index.html", port: 8080 } },
                volumeMounts: [{ name: "kept", mountPath: "/kept" }],
              },
            ],
            volumes: [{ name: "kept", persistentVolumeClaim: { claimName: "kept" } }],
          },
        },
      },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "kept" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
    },
  ],
};

async function startOrSkip(t: TestContext, folder: string) {
  if (!isNodeBuilt()) {
    t.skip("kubelet is not built on this machine; run npm run cluster:up -- --node once");
    return undefined;
  }
  try {
    return await startCluster({ folder, controllers: true, node: true, print: (line) => t.diagnostic(line) });
  } catch (error) {
    if (!(error instanceof NoCluster)) throw error;
    t.skip(error.message);
    return undefined;
  }
}

test("a real node runs pods, Services and names lead to them, and nothing of it stays", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-node-"));
  t.after(async () => {
    await stopCluster(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  const cluster = await startOrSkip(t, folder);
  if (cluster === undefined) return;
  const kubectl = (args: readonly string[], input = ""): string =>
    execFileSync(cluster.kubectl, args, {
      input,
      encoding: "utf8",
      env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
    });
  kubectl(["apply", "-f", "-"], JSON.stringify(workload));
  kubectl(["wait", "--for=condition=Available", "deployment/web", "--timeout=240s"]);
  const address = kubectl(["get", "pods", "-l", "app=web", "-o", "jsonpath={.items[0].status.podIP}"]);
  assert.equal(await (await fetch(`http://${address}:8080/index.html`)).text(), "served\n");

  // The API server reaches kubelet, and inside the pod a name leads to the Service.
  const name = "web.default.svc.cluster.local";
  assert.match(kubectl(["exec", "deployment/web", "--", "nslookup", name]), /Address.*10\.96\./);
  const { network } = readRecord(folder);
  await stopCluster(folder);
  assert.ok(!existsSync(`/sys/class/net/${network.link}`), "no interface stays");
  assert.deepEqual(globSync(`/sys/fs/cgroup/{,*/}${cgroupOf(network)}`), [], "no cgroup stays");
});
