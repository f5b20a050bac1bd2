import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { ask, Load } from "./serving/load.ts";
import { Machine, missingKubectl, until } from "./serving/machine.ts";
import { modelManifest, routeManifest } from "./serving/manifests.ts";

const skip = await missingKubectl();

interface DeploymentState {
  readonly spec: { readonly replicas: number };
  readonly status: { readonly replicas?: number; readonly readyReplicas?: number };
}

describe("with kubectl alone", { skip }, () => {
  const machine = new Machine();
  before(() => machine.up());
  after(() => machine.remove());

  const readyReplicas = async (): Promise<number> =>
    Number(await machine.kubectl("get", "deploy/chat", "-o", "jsonpath={.status.readyReplicas}"));

  it("a Deployment, a Service and a route answer", async () => {
    await machine.apply(modelManifest({ name: "chat", flags: ["--alias", "chatty"] }) + routeManifest("chat", "/talk"));
    assert.match(await machine.kubectl("rollout", "status", "deploy/chat"), /successfully rolled out/);
    const following = machine.follow("logs", "-f", "deploy/chat");
    let logged = "";
    following.stdout?.setEncoding("utf8").on("data", (text: string) => {
      logged += text;
    });
    await until("the log says where it listens", async () => /model loaded.*listening on/.test(logged));
    following.kill();
    for (const name of ["chat", "default/chat", "chatty"]) {
      const { status, text } = await ask(machine.gateway, name);
      assert.equal(status, 200, text);
      assert.equal(JSON.parse(text).choices[0].message.role, "assistant");
    }
    const listed = await (await fetch(`${machine.gateway}/talk/v1/models`)).json();
    assert.equal((listed as { data: { id: string }[] }).data[0]?.id, "chatty");
    const conditions = await machine.kubectl(
      "get",
      "httproute/chat",
      "-o",
      "jsonpath={.status.parents[0].conditions[*].status}",
    );
    assert.equal(conditions, "True True");
  });

  it("answers by a host that a route names, and neither it nor the pod by a name of a stranger", async () => {
    const named = routeManifest("chat", "/")
      .replace("name: chat", "name: hosted")
      .replace("spec:", "spec:\n  hostnames: [chat.models.example]");
    await machine.apply(named);
    const gateway = new URL(machine.gateway).host;
    const pod = await machine.kubectl("get", "pods", "-l", "app=chat", "-o", "jsonpath={.items[0].status.podIP}");
    const statusOf = async (authority: string, host: string) => {
      const [hostname = "", port] = authority.split(":");
      const [answer] = await once(request({ hostname, port, path: "/v1/models", headers: { host } }).end(), "response");
      answer.resume();
      return answer.statusCode;
    };
    await until("the host is known", async () => (await statusOf(gateway, "chat.models.example")) === 200);
    assert.equal(await statusOf(gateway, "evil.example"), 421);
    assert.equal(await statusOf(`${pod}:8080`, `${pod}:8080`), 200);
    assert.equal(await statusOf(`${pod}:8080`, "evil.example"), 421);
    // The route's host is known to the gateway alone.
    assert.equal(await statusOf(`${pod}:8080`, "chat.models.example"), 421);
    await machine.kubectl("delete", "httproute/hosted");
  });

  it("goes to three replicas, to none and back under load, and every request is answered", async (t) => {
    const load = new Load(machine.gateway, "chatty");
    t.after(() => load.stop());
    await load.answers(5);
    await machine.kubectl("scale", "deploy/chat", "--replicas=3");
    await machine.kubectl("rollout", "status", "deploy/chat");
    assert.equal(await readyReplicas(), 3);
    await until("the Service lists three addresses", async () => {
      const slices = await machine.get<{ items: { endpoints: { addresses: string[] }[] }[] }>(
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
      );
      const addresses = slices.items.flatMap(({ endpoints }) => endpoints.map(({ addresses: [first] }) => first));
      return new Set(addresses).size === 3;
    });
    await load.answers(20);
    await machine.kubectl("scale", "deploy/chat", "--replicas=0");
    // Whoever asks wakes it again.
    await until("one is ready again", async () => {
      const { spec, status } = await machine.get<DeploymentState>("/apis/apps/v1/namespaces/default/deployments/chat");
      return spec.replicas === 1 && status.replicas === 1 && status.readyReplicas === 1;
    });
    await load.answers(5);
    await load.stop();
    assert.deepEqual(load.failures, []);
  });

  it("is rolled to a new revision and back under load without a failed request", async (t) => {
    const before = await machine.kubectl("get", "pods", "-l", "app=chat", "-o", "name");
    const load = new Load(machine.gateway, "chat");
    t.after(() => load.stop());
    await load.answers(5);
    await machine.kubectl("set", "env", "deploy/chat", "COLOUR=blue");
    await machine.kubectl("rollout", "status", "deploy/chat");
    await load.answers(5);
    assert.match(await machine.kubectl("rollout", "history", "deploy/chat"), /^1 .*\n2 /m);
    await machine.kubectl("rollout", "undo", "deploy/chat");
    await machine.kubectl("rollout", "status", "deploy/chat");
    await load.answers(5);
    await load.stop();
    assert.deepEqual(load.failures, []);
    const env = await machine.kubectl("get", "deploy/chat", "-o", "jsonpath={.spec.template.spec.containers[0].env}");
    assert.equal(env, "");
    let pods = "";
    await until("the pods of the second revision are gone", async () => {
      pods = await machine.kubectl("get", "pods", "-l", "app=chat", "-o", "name");
      return pods.trim().split("\n").length === 1 && pods !== before;
    }).catch((error: unknown) => {
      throw new Error(`pods before:\n${before}\npods now:\n${pods}`, { cause: error });
    });
  });

  it("says in known words what is wrong with a pod, and heals when that is put right", async () => {
    await machine.apply(troubled);
    const describePod = (name: string): Promise<string> => machine.kubectl("describe", "pod", name);
    const shows = (name: string, ...words: RegExp[]): Promise<string> =>
      until(`${name} is described with ${words.join(", ")}`, async () => {
        const text = await describePod(name);
        return words.every((word) => word.test(text)) && text;
      });
    await Promise.all([
      shows(
        "crashes",
        /Reason: +CrashLoopBackOff/,
        /Last State: +Terminated\n +Reason: +Error\n +Exit Code: +3/,
        /Warning +BackOff .*Back-off restarting failed container c in pod crashes_default/,
      ),
      shows(
        "is-ill",
        /Warning +Unhealthy .*Liveness probe failed: .*cat: .*No such file or directory/,
        /Normal +Killing .*Container c failed liveness probe, will be restarted/,
      ),
      shows("never-ready", /Warning +Unhealthy .*Readiness probe failed: dial tcp .*: connect: connection refused/),
      shows("wants-secret", /Reason: +CreateContainerConfigError/, /Warning +Failed .*Error: secret "words" not found/),
      shows(
        "mounts-secret",
        /Reason: +ContainerCreating/,
        /Warning +FailedMount .*MountVolume.SetUp failed for volume "w" : secret "words" not found/,
      ),
      shows(
        "foreign",
        /Reason: +ErrImageNeverPull/,
        /Failed to pull image "quay.io\/nobody\/knows:1": .*trivium.yaml.*podman or docker/,
      ),
      shows("too-large", /Warning +FailedScheduling .*0\/1 nodes are available: 1 Insufficient memory/),
    ]);
    assert.match(await machine.kubectl("logs", "crashes", "--previous"), /about to fail/);
    await machine.kubectl("create", "secret", "generic", "words", "--from-literal=word=open sesame");
    for (const name of ["wants-secret", "mounts-secret"]) {
      await machine.kubectl("wait", "--for=condition=Ready", `pod/${name}`, "--timeout=60s");
      assert.match(await machine.kubectl("logs", name), /open sesame/);
    }
  });
});

const troubled = `
apiVersion: v1
kind: Pod
metadata: { name: crashes }
spec:
  containers: [{ name: c, image: busybox, command: [sh, -c, "echo about to fail; exit 3"] }]
---
apiVersion: v1
kind: Pod
metadata: { name: is-ill }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: c
      image: busybox
      command: [sleep, "1000"]
      livenessProbe: { exec: { command: [cat, /nothing/here] }, periodSeconds: 1, failureThreshold: 1 }
---
apiVersion: v1
kind: Pod
metadata: { name: never-ready }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: c
      image: busybox
      command: [sleep, "1000"]
      readinessProbe: { tcpSocket: { port: 81 }, periodSeconds: 1 }
---
apiVersion: v1
kind: Pod
metadata: { name: wants-secret }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: c
      image: busybox
      command: [sh, -c, "echo $WORD; sleep 1000"]
      env: [{ name: WORD, valueFrom: { secretKeyRef: { name: words, key: word } } }]
---
apiVersion: v1
kind: Pod
metadata: { name: mounts-secret }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: c
      image: busybox
      command: [sh, -c, "cat /words/word; sleep 1000"]
      volumeMounts: [{ name: w, mountPath: /words }]
  volumes: [{ name: w, secret: { secretName: words } }]
---
apiVersion: v1
kind: Pod
metadata: { name: foreign }
spec:
  containers: [{ name: c, image: "quay.io/nobody/knows:1" }]
---
apiVersion: v1
kind: Pod
metadata: { name: too-large }
spec:
  containers: [{ name: c, image: busybox, command: [sleep, "1"], resources: { requests: { memory: 900Ti } } }]
`;
