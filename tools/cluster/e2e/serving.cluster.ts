// From Helm to an answer and back, on a real node: our images, real pods, weights from a hub and an S3 server in the cluster.
import assert from "node:assert/strict";
import { test } from "node:test";
import { askEngine, openGateway } from "./gateway.ts";
import { startOrSkip, thisCheckout } from "./installed.ts";
import { kill, replaceLeader, stop } from "./leader.ts";
import { servingPod, startModelRegistry } from "./registry.ts";
import { applyAll, createNamespace, namespace, release } from "./release.ts";
import { omeFromRegistry, readyStates, s3Environment, servicesFor, valuesFor } from "./services.ts";
import { startSources } from "./sources.ts";

const registry = "trivium.test/now";
const kinds = ["models.inference.llmkube.dev", "aimservices", "inferenceservices.ome.io", "clusterbasemodels"];

test("Helm installs, services of all APIs answer through the gateway, and nothing stays", async (t) => {
  const cluster = await startOrSkip(t);
  if (cluster === undefined) return;
  const { kubectl, helm } = cluster;
  const list = async (what: string, ...args: string[]): Promise<string[]> =>
    (await kubectl(["get", what, "--output=name", ...args])).split("\n").filter((line) => line !== "");
  const sources = await startSources(cluster.host);
  t.after(() => sources.stop());
  const models = await startModelRegistry(cluster);
  if (models.is === "running") t.after(() => models.stop());

  await t.test("the charts install, and no pod starts twice", async () => {
    await cluster.load(thisCheckout, registry);
    await applyAll(cluster, sources.objects);
    await createNamespace(cluster);
    if (models.is === "running") {
      await kubectl(["create", "namespace", "ome"]);
      await applyAll(cluster, models.objects);
    }
    const hosts = models.is === "running" ? [...sources.hosts, models.host] : sources.hosts;
    await release(cluster, "install", valuesFor(registry, { ...sources, hosts }));
    const restarts = "{.items[*].status.containerStatuses[*].restartCount}";
    assert.match(await kubectl(["get", "pods", "-A", "-o", `jsonpath=${restarts}`]), /^[0 ]+$/);
  });

  const services = servicesFor(registry, sources);
  await t.test("services of the three APIs answer through the gateway, and only with a key", async () => {
    await applyAll(cluster, services);
    for (const [object, state] of readyStates) await kubectl(["wait", object, `--for=${state}`, "--timeout=240s"]);
    const gateway = await openGateway(cluster, namespace);
    for (const model of ["llmkube-demo", "trivium/demo", "ome-from-s3", "ome-from-hub"]) {
      const { status, text } = await gateway.ask(model);
      assert.equal(status, 200, `${model}: ${text}`);
      assert.match(text, /Trivium/, model);
    }
    assert.equal((await gateway.ask("llmkube-demo", {})).status, 401);
  });

  await t.test("init containers download from an OCI registry and from S3, and engines serve that", async (step) => {
    if (models.is === "missing") return step.skip(models.why);
    const pods = [
      servingPod(registry, "init-from-registry", models),
      servingPod(registry, "init-from-s3", { uri: "s3://models/demo", env: s3Environment(sources) }),
    ];
    await applyAll(cluster, pods);
    for (const name of ["init-from-registry", "init-from-s3"]) {
      await kubectl(["wait", `pod/${name}`, "--for=condition=Ready", "--timeout=180s"]).catch(async () => {
        assert.fail(await kubectl(["logs", name, "--all-containers"]));
      });
      const address = await kubectl(["get", "pod", name, "--output=jsonpath={.status.podIP}"]);
      assert.match(await askEngine(address), /Trivium/, name);
    }
    await kubectl(["delete", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: pods }));
  });

  await t.test("the node agent downloads from an OCI registry, and the service answers", async (step) => {
    if (models.is === "missing") return step.skip(models.why);
    const objects = omeFromRegistry(models.uri);
    await applyAll(cluster, objects);
    await kubectl(["wait", "inferenceservices.ome.io/ome-from-registry", "--for=condition=Ready", "--timeout=240s"]);
    const { status, text } = await (await openGateway(cluster, namespace)).ask("ome-from-registry");
    assert.equal(status, 200, text);
    const items = [...objects, ...models.objects];
    await kubectl(
      ["delete", "--ignore-not-found", "-f", "-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    );
  });

  await t.test("metrics are for accounts that the cluster authorizes", async () => {
    const path = "jsonpath={.items[0].status.podIP}";
    const scrape = async (component: string, port: number, token?: string): Promise<number> => {
      const label = `app.kubernetes.io/component=${component}`;
      const home = component === "node-agent" ? "ome" : namespace;
      const address = await kubectl(["get", "pods", "--namespace", home, "-l", label, "-o", path]);
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(`http://${address}:${port}/metrics`, { headers })).status;
    };
    for (const name of ["scraper", "stranger"]) await kubectl(["create", "serviceaccount", name]);
    const binding = ["create", "clusterrolebinding", "scraper", "--clusterrole=trivium-metrics-reader"];
    await kubectl([...binding, "--serviceaccount=default:scraper"]);
    const [scraper, stranger] = await Promise.all(
      ["scraper", "stranger"].map(async (name) => (await kubectl(["create", "token", name])).trim()),
    );
    for (const [component, port] of [
      ["operator", 9440],
      ["gateway", 8081],
      ["node-agent", 8080],
    ] as const)
      assert.deepEqual(
        [
          await scrape(component, port),
          await scrape(component, port, stranger),
          await scrape(component, port, scraper),
        ],
        [401, 403, 200],
        component,
      );
    await kubectl(["delete", "clusterrolebinding/scraper"]);
  });

  await t.test("an idle service is scaled to zero, and a request starts it again", async () => {
    const service = "inferenceservices.inference.llmkube.dev/llmkube-demo";
    await kubectl(["annotate", service, "trivium.dev/idle-timeout=1s"]);
    await kubectl(["wait", service, "--for=jsonpath={.status.phase}=Stopped", "--timeout=120s"]);
    await kubectl(["wait", "--for=delete", "pod", "-l", "app=llmkube-demo", "--timeout=120s"]);
    const gateway = await openGateway(cluster, namespace);
    const { status, text } = await gateway.ask("llmkube-demo");
    assert.equal(status, 200, text);
  });

  await t.test("a killed leader is replaced within 15 s, a stopped one at once, and serving goes on", async (step) => {
    const afterKill = await replaceLeader(cluster, namespace, kill);
    const afterStop = await replaceLeader(cluster, namespace, stop);
    step.diagnostic(`replaced ${afterKill.toFixed(1)} s after a kill, ${afterStop.toFixed(1)} s after a stop`);
    assert.ok(afterKill <= 15 && afterStop <= 5, `${afterKill} s, ${afterStop} s`);
    const gateway = await openGateway(cluster, namespace);
    assert.equal((await gateway.ask("ome-from-s3")).status, 200);
  });

  await t.test("deleted services leave nothing but the shared cache of LLMKube", async () => {
    await kubectl(["delete", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: services }));
    await kubectl(["wait", "--for=delete", "pods", "--all", "--timeout=120s"]);
    assert.deepEqual(await list("all,configmaps,pvc,ingresses,hpa"), [
      "service/kubernetes",
      "configmap/kube-root-ca.crt",
      "persistentvolumeclaim/llmkube-model-cache",
    ]);
    assert.deepEqual(await list(kinds.join(","), "-A"), []);
    assert.deepEqual(await list("aimmodels,aimservicetemplates,aimmodelcaches,aimtemplatecaches", "-A"), []);
  });

  await t.test(
    "an uninstalled release leaves the definitions, its Lease and namespace ome, as documented",
    async () => {
      await helm("uninstall", "trivium", "--namespace", namespace, "--wait");
      await kubectl(["wait", "--for=delete", "pods", "--all", "--namespace", namespace, "--timeout=60s"]);
      assert.deepEqual(await list("all,networkpolicies,pdb,leases,sa", "--namespace", namespace), [
        "lease.coordination.k8s.io/trivium-operator",
        "serviceaccount/default",
      ]);
      const own = (await list("clusterroles,clusterrolebindings")).filter((name) => name.includes("trivium"));
      assert.deepEqual(own, []);
      assert.deepEqual(await list("all", "--namespace", "ome"), []);
    },
  );
});
