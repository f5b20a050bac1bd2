import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import {
  ApiError,
  CustomResourceDefinition,
  Deployment,
  EndpointSlice,
  Event,
  type Kind,
  type KubeClient,
  type KubeObject,
  Node,
  Pod,
  Service,
  type Status,
} from "@trivium/kube";
import { silentLog } from "@trivium/runtime";
import { FakeClock, turns } from "@trivium/testkit";
import { startGateway } from "../src/gateway.ts";
import {
  type Answer,
  addService,
  type ClusterFixture,
  chunk,
  completes,
  deployment,
  endpoints,
  type FixtureOptions,
  type ModelServer,
  named,
  putPod,
  readyPod,
  service,
  startFixture,
  startModel,
  until,
} from "./fixture.ts";

const here = (name: string) => ({ namespace: "default", name });
const unschedulable = "0/1 nodes are available: 1 Insufficient memory.";

describe("waking and idling", () => {
  let model: ModelServer;
  let fixture: ClusterFixture;
  let clock: FakeClock;
  let answer: Answer = completes;

  before(async () => {
    model = await startModel((request, response, body) => answer(request, response, body));
  });
  after(() => model.close());
  afterEach(async () => {
    await fixture.close();
    answer = completes;
    model.requests.length = 0;
  });

  async function start(options: FixtureOptions = {}): Promise<KubeClient> {
    clock = new FakeClock();
    fixture = await startFixture({ clock, random: () => 0.5, ...options });
    return fixture.client;
  }

  const ask = (name: string, more: object = {}) =>
    fetch(`${fixture.gateway.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: name, messages: [], ...more }),
    });
  const replicas = async (name: string) => (await fixture.client.get(Deployment, here(name))).spec?.replicas;
  const reported = async (reason: string) =>
    (await fixture.client.list(Event, { namespace: "default" })).items
      .filter((event) => event.reason === reason)
      .map(({ involvedObject, message }) => `${involvedObject.name}: ${message}`);
  const appear = async (name: string) => {
    await putPod(fixture.client, name, readyPod);
    for (const slice of endpoints(name, [model.port])) await fixture.client.create(EndpointSlice, slice);
  };
  /** Lets time pass in steps, so that what each timer starts can come to rest over real sockets. */
  const pass = (time: number) => clock.advance(time, () => turns(20));
  const failure = async (response: Response) => {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return { status: response.status, ...error, retryAfter: response.headers.get("retry-after") };
  };

  it("wakes what is at zero, and answers those who waited in the order they came", async () => {
    const client = await start();
    await client.create(Service, service("demo", { annotations: { "trivium.dev/models": "demo" } }));
    await client.create(Deployment, deployment("demo", 0, { "trivium.dev/awake-replicas": "2" }));
    await until(
      async () => (await (await fetch(`${fixture.gateway.url}/v1/models`)).text()).includes("demo"),
      "it is listed",
    );
    const answers: Promise<Response>[] = [];
    for (let index = 0; index < 5; index += 1) {
      answers.push(ask("demo", { user: String(index) }));
      await until(() => fixture.gateway.requests() === index + 1, "the request is held");
    }
    await until(async () => (await replicas("demo")) === 2, "it has the replicas it had before");
    await appear("demo");
    for (const response of await Promise.all(answers)) assert.equal(response.status, 200);
    // It could say only after waking that it does not know the name it was asked for by.
    assert.ok(model.requests.every(({ body }) => (JSON.parse(body) as { model: string }).model === "tiny"));
    const order = model.requests.map(({ body }) => (JSON.parse(body) as { user: string }).user);
    assert.deepEqual(order, ["0", "1", "2", "3", "4"]);
    assert.equal(fixture.gateway.requests(), 0);
    await until(async () => (await reported("Woken")).length === 1, "it is told, once");
    assert.match((await reported("Woken"))[0] ?? "", /^demo: Scaled up from zero to 2 replicas by a request$/);
  });

  it("wakes nothing for a Service that is closed, and says why at once", async () => {
    const client = await start();
    const closed = { "trivium.dev/models": "demo", "trivium.dev/closed": "it is suspended; set spec.suspend to false" };
    await client.create(Service, service("demo", { annotations: closed }));
    await client.create(Deployment, deployment("demo", 0));
    await until(
      async () => (await (await fetch(`${fixture.gateway.url}/v1/models`)).text()).includes("demo"),
      "it is listed",
    );
    const { status, code, message } = await failure(await ask("demo"));
    assert.deepEqual([status, code], [503, "model_cannot_start"]);
    assert.equal(message, "default/demo is not ready: it is suspended; set spec.suspend to false");
    assert.equal(await replicas("demo"), 0);
    const unknown = await failure(await ask("nobody"));
    assert.deepEqual([unknown.status, unknown.message], [404, "Model nobody not found; available: none"]);
  });

  it("wakes nothing that a person stopped", async () => {
    const client = await start();
    await client.create(Service, service("demo", { annotations: { "trivium.dev/models": "demo" } }));
    await client.create(Deployment, deployment("demo", 0, { "trivium.dev/stopped": "true" }));
    await until(
      async () => (await (await fetch(`${fixture.gateway.url}/v1/models`)).text()).includes("demo"),
      "it is listed",
    );
    const { status, code, message } = await failure(await ask("demo"));
    assert.deepEqual([status, code], [503, "model_cannot_start"]);
    assert.equal(message, "default/demo cannot scale up from zero: it was stopped; start it with trivium start demo");
    assert.equal(await replicas("demo"), 0);
  });

  it("knows the names that a server listed when it is at zero, also after a restart", async () => {
    const client = await start();
    const noted = async () =>
      (await client.get(Service, here("demo"))).metadata.annotations?.["trivium.dev/listed-models"];
    await addService(client, "demo", [model.port]);
    await client.create(Deployment, deployment("demo", 0));
    await until(async () => (await noted()) === '["tiny"]', "the name is noted on the Service");
    for (const slice of endpoints("demo", [model.port])) await client.delete(EndpointSlice, named(slice));
    const next = await startGateway({ port: 0, clock, client });
    try {
      const asking = fetch(`${next.url}/v1/chat/completions`, {
        method: "POST",
        body: JSON.stringify({ model: "tiny", messages: [] }),
      });
      await until(async () => (await replicas("demo")) === 1, "it is woken by that name");
      await appear("demo");
      assert.equal((await asking).status, 200);
    } finally {
      await next.close();
    }
  });

  it("notes nothing on a Service that its name and its annotation find already, and takes back what is no longer so", async () => {
    const client = await start();
    const other = await startModel(completes, ["one", "mine"]);
    try {
      const annotations = { "trivium.dev/models": "mine", "trivium.dev/listed-models": '["old"]' };
      await addService(client, "one", [other.port], { annotations });
      const left = async () => (await client.get(Service, here("one"))).metadata.annotations;
      await until(async () => (await left())?.["trivium.dev/listed-models"] === undefined, "the old name is gone");
      assert.deepEqual(await left(), { "trivium.dev/models": "mine" });
    } finally {
      await other.close();
    }
  });

  it("scales the topmost owner that has a scale, not the Deployment", async () => {
    const client = await start({ before: installServing });
    const owner = await client.create(Serving, {
      apiVersion: "example.dev/v1",
      kind: "Serving",
      metadata: { name: "demo", namespace: "default" },
      spec: { replicas: 0 },
    } as KubeObject);
    const owned = deployment("demo", 0);
    owned.metadata.ownerReferences = [
      {
        apiVersion: "example.dev/v1",
        kind: "Serving",
        name: "demo",
        uid: owner.metadata.uid as string,
        controller: true,
      },
    ];
    await client.create(Deployment, owned);
    await client.create(Service, service("demo"));
    await until(async () => (await ask("nobody")).status === 404, "the gateway answers");
    const answered = ask("demo");
    const ownReplicas = async () =>
      ((await client.get(Serving, here("demo"))) as KubeObject & { spec: { replicas: number } }).spec.replicas;
    await until(async () => (await ownReplicas()) === 1, "the owner was scaled");
    assert.equal(await replicas("demo"), 0);
    await appear("demo");
    assert.equal((await answered).status, 200);
  });

  it("reports once that it cannot read an owner, which any controller of a cluster can be", async () => {
    const lines: string[] = [];
    const note = (_: unknown, message: string) => void lines.push(message);
    let refused = 0;
    const forbidden = () => {
      refused += 1;
      return Promise.reject(
        new ApiError({ kind: "Status", apiVersion: "v1", code: 403, reason: "Forbidden" } as Status),
      );
    };
    const client = await start({
      before: installServing,
      log: { ...silentLog, warn: note, info: note },
      wrap: (inner) => ({
        ...inner,
        list: (kind, options) => (kind.plural === Serving.plural ? forbidden() : inner.list(kind, options)),
      }),
    });
    const { metadata } = await client.create(Serving, {
      apiVersion: "example.dev/v1",
      kind: "Serving",
      metadata: { name: "demo", namespace: "default" },
      spec: { replicas: 1 },
    } as KubeObject);
    const owned = deployment("demo", 1);
    const { uid = "" } = metadata;
    owned.metadata.ownerReferences = [
      { apiVersion: "example.dev/v1", kind: "Serving", name: "demo", uid, controller: true },
    ];
    await client.create(Deployment, owned);
    await until(async () => {
      await clock.advance(30_000);
      return refused > 3;
    }, "the owners were listed repeatedly");
    assert.deepEqual(
      lines.filter((line) => line.startsWith("cannot read owners")),
      ["cannot read owners of this kind; their idle timeouts and scales have no effect"],
    );
    assert.deepEqual(
      lines.filter((line) => line.startsWith("watch failed")),
      [],
    );
  });

  it("gives up at the deadline and says why", async () => {
    const client = await start({ limits: { holdDeadline: 60_000 } });
    await client.create(Service, service("demo"));
    await client.create(Deployment, deployment("demo", 1));
    await putPod(client, "demo", {
      phase: "Running",
      conditions: [{ type: "PodScheduled", status: "True" }],
      containerStatuses: [
        { name: "main", image: "", imageID: "", ready: false, restartCount: 0, state: { running: {} } },
      ],
    });
    const answered = ask("demo");
    await until(() => fixture.gateway.requests() === 1, "the request is held");
    await pass(61_000);
    assert.deepEqual(await failure(await answered), {
      status: 503,
      code: "model_not_ready",
      message: "default/demo was not ready in time: loading the model",
      param: null,
      type: "server_error",
      retryAfter: "30",
    });
  });

  it("holds only so many", async () => {
    const client = await start({ limits: { heldPerModel: 2 } });
    await client.create(Service, service("demo"));
    await client.create(Deployment, deployment("demo", 1));
    const waiting = [ask("demo"), ask("demo")];
    await until(() => fixture.gateway.requests() === 2, "both are held");
    const refused = await failure(await ask("demo"));
    assert.equal(refused.status, 429);
    assert.match(refused.message, /creating pods.*too many requests are waiting/);
    await appear("demo");
    for (const response of await Promise.all(waiting)) assert.equal(response.status, 200);
  });

  it("forgets those who hang up while they wait", async () => {
    const client = await start();
    await client.create(Service, service("demo"));
    await client.create(Deployment, deployment("demo", 1));
    const leaving = new AbortController();
    const body = JSON.stringify({ model: "demo", messages: [] });
    const answered = fetch(`${fixture.gateway.url}/v1/chat/completions`, {
      method: "POST",
      body,
      signal: leaving.signal,
    });
    await until(() => fixture.gateway.requests() === 1, "the request is held");
    leaving.abort();
    await assert.rejects(answered);
    await until(() => fixture.gateway.requests() === 0, "nobody waits");
    await appear("demo");
    assert.equal((await ask("demo")).status, 200);
    assert.equal(model.requests.length, 1);
  });

  for (const [what, status, cause] of [
    [
      "a container that crashes again and again",
      {
        containerStatuses: [
          {
            name: "main",
            image: "",
            imageID: "",
            ready: false,
            restartCount: 3,
            state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s" } },
          },
        ],
      },
      /default\/demo is not ready: CrashLoopBackOff: container main of pod demo-0: back-off 40s/,
    ],
    [
      "an image that cannot be pulled",
      {
        containerStatuses: [
          {
            name: "main",
            image: "",
            imageID: "",
            ready: false,
            restartCount: 0,
            state: { waiting: { reason: "ErrImagePull" } },
          },
        ],
      },
      /is not ready: Image of container main of Pod demo-0 is not available: ErrImagePull; /,
    ],
  ] as [string, Pod["status"], RegExp][]) {
    it(`fails those who wait for ${what} early, with the cause`, async () => {
      const client = await start();
      await client.create(Service, service("demo"));
      await client.create(Deployment, deployment("demo", 1));
      const answered = ask("demo");
      await until(() => fixture.gateway.requests() === 1, "the request is held");
      await putPod(client, "demo", {
        phase: "Pending",
        conditions: [{ type: "PodScheduled", status: "True" }],
        ...status,
      });
      const failed = await failure(await answered);
      assert.equal(failed.status, 503);
      assert.match(failed.message, cause);
      assert.match((await failure(await ask("demo"))).message, cause);
    });
  }

  it("fails those who wait for a pod that fits nowhere, after a grace", async () => {
    const client = await start();
    await client.create(Service, service("demo"));
    await client.create(Deployment, deployment("demo", 1));
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: unschedulable };
    await putPod(client, "demo", { phase: "Pending", conditions: [condition] });
    const answered = ask("demo");
    await until(() => fixture.gateway.requests() === 1, "the request is held");
    await pass(16_000);
    assert.match(
      (await failure(await answered)).message,
      /^default\/demo is not ready: Pod demo-0 cannot be scheduled: no node has enough free memory \(0\/1 nodes are available: 1 Insufficient memory\); free some/,
    );
  });

  it("names what the user applied, and the amounts that no node has", async () => {
    const client = await start({ before: installServing });
    const created = { apiVersion: "example.dev/v1", kind: "Serving", metadata: here("chat"), spec: { replicas: 1 } };
    const { metadata } = await client.create(Serving, created as KubeObject);
    const owner = {
      apiVersion: "example.dev/v1",
      kind: "Serving",
      name: "chat",
      uid: metadata.uid ?? "",
      controller: true,
    };
    const owned = service("demo");
    owned.metadata.ownerReferences = [owner];
    await client.create(Service, owned);
    await client.create(Deployment, deployment("demo", 1));
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } };
    await client.create(Node, { ...node, status: { allocatable: { memory: "20Gi" } } });
    const message = "0/1 nodes are available: 1 Insufficient memory, 1 Insufficient nvidia.com/gpu.";
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
    await client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...here("demo-0"), labels: { app: "demo" } },
      spec: {
        containers: [
          {
            name: "main",
            image: "llama",
            resources: { requests: { memory: "900Gi" }, limits: { memory: "900Gi", "nvidia.com/gpu": "2" } },
          },
        ],
      },
    });
    await putPod(client, "demo", { phase: "Pending", conditions: [condition] });
    const answered = ask("demo");
    await until(() => fixture.gateway.requests() === 1, "the request is held");
    await pass(16_000);
    assert.equal(
      (await failure(await answered)).message,
      "Serving default/chat is not ready: Pod demo-0 cannot be scheduled: no node provides nvidia.com/gpu: " +
        "it needs 2 nvidia.com/gpu (0/1 nodes are available: 1 Insufficient memory, 1 Insufficient nvidia.com/gpu); " +
        "add a node that provides it, or do not request it",
    );
  });

  it("says in a stream what is going on, and then streams", async () => {
    const lines: ((line: string) => void)[] = [];
    const logging: KubeClient["log"] = async function* (_, { signal } = {}) {
      for (;;) {
        const line = await new Promise<string | undefined>((resolve) => {
          lines.push(resolve);
          signal?.addEventListener("abort", () => resolve(undefined));
        });
        if (line === undefined) return;
        yield line;
      }
    };
    await start({ wrap: (inner) => ({ ...inner, log: logging }) });
    await fixture.client.create(Service, service("demo"));
    await fixture.client.create(Deployment, deployment("demo", 1));
    const answered = ask("demo", { stream: true });
    await until(() => fixture.gateway.requests() === 1, "the request is held");
    await putPod(fixture.client, "demo", {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: unschedulable }],
    });
    await pass(5_500);
    const response = await answered;
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    await putPod(fixture.client, "demo", {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "True" }],
      initContainerStatuses: [
        { name: "weights", image: "", imageID: "", ready: false, restartCount: 0, state: { running: {} } },
      ],
    });
    await until(() => lines.length === 1, "the log is followed");
    lines[0]?.('{"bytes":42,"total":100}');
    await until(() => lines.length === 2, "the line was read");
    await pass(10_500);
    await appear("demo");
    const text = await response.text();
    assert.match(text, /^: waiting for default\/demo: Pod demo-0 cannot be scheduled: no node has enough free memory /);
    assert.match(text, /: waiting for default\/demo: downloading weights 42%\n\n/);
    assert.ok(text.endsWith("data: [DONE]\n\n"));
    assert.ok(text.includes(chunk("Hello")));
  });

  it("puts errors into a stream that has begun", async () => {
    const client = await start();
    answer = (_, response) =>
      response.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"too long"}}');
    await client.create(Service, service("demo"));
    await client.create(Deployment, deployment("demo", 1));
    const answered = ask("demo", { stream: true });
    await until(() => fixture.gateway.requests() === 1, "the request is held");
    await pass(5_500);
    await answered;
    await appear("demo");
    assert.match(await (await answered).text(), /data: \{"error":\{"message":"too long"\}\}\n\n$/);
  });

  async function serving(name: string, annotations: Record<string, string>): Promise<void> {
    await addService(fixture.client, name, [model.port]);
    const made = await fixture.client.create(Deployment, deployment(name, 1, annotations));
    await putPod(fixture.client, name, readyPod);
    const body = { status: { observedGeneration: made.metadata.generation as number } };
    await fixture.client.patch(Deployment, named(made), { type: "merge", body }, { subresource: "status" });
    await until(async () => (await ask(name)).status === 200, `${name} answers`);
  }

  it("puts to zero what nobody uses, counted from the end of the last request, and never under one", async () => {
    await start();
    await serving("demo", { "trivium.dev/idle-timeout": "10m" });
    await pass(9 * 60_000);
    assert.equal(await replicas("demo"), 1);
    let finish = () => {};
    answer = (_, response) => {
      finish = () => response.end("{}");
    };
    const slow = ask("demo");
    await until(() => model.open() === 1, "the request is being worked on");
    await pass(30 * 60_000);
    assert.equal(await replicas("demo"), 1);
    finish();
    await slow;
    await pass(9 * 60_000);
    assert.equal(await replicas("demo"), 1);
    await pass(60_000 + 1_000);
    await until(async () => (await replicas("demo")) === 0, "it is at zero");
    const { metadata } = await fixture.client.get(Deployment, here("demo"));
    assert.equal(metadata.annotations?.["trivium.dev/awake-replicas"], "1");
    await until(async () => (await reported("Idle")).length === 1, "it is told");
    assert.match(
      (await reported("Idle"))[0] ?? "",
      /^demo: Scaled to zero after its idle timeout; starts on the next request$/,
    );
  });

  it("warns once of an idle timeout that cannot be read, and puts nothing to zero by it", async () => {
    await start();
    await serving("demo", { "trivium.dev/idle-timeout": "soon" });
    await until(async () => (await reported("UnreadableIdleTimeout")).length === 1, "it is told");
    const events = async () => (await fixture.client.list(Event, { namespace: "default" })).items;
    await pass(24 * 60 * 60_000);
    assert.equal(await replicas("demo"), 1);
    const [event, ...more] = (await events()).filter(({ reason }) => reason === "UnreadableIdleTimeout");
    assert.deepEqual([event?.type, event?.count, more.length], ["Warning", 1, 0]);
    assert.match(event?.message ?? "", /"soon" is not a valid duration/);
  });

  it("sends nothing to replicas that it is putting to zero", async () => {
    await start();
    await serving("demo", { "trivium.dev/idle-timeout": "1m" });
    await pass(61_000);
    await until(async () => (await replicas("demo")) === 0, "it is at zero");
    const before = model.requests.length;
    const answered = ask("demo");
    await until(async () => (await replicas("demo")) === 1, "it was woken again");
    assert.equal(model.requests.length, before);
    await fixture.client.delete(EndpointSlice, here(`demo-${model.port}`));
    await fixture.client.delete(Pod, here("demo-0"), { gracePeriodSeconds: 0 });
    await turns(20);
    await appear("demo");
    assert.equal((await answered).status, 200);
  });

  it("spares what is asked for while it is being put to zero", async () => {
    let asked: Promise<Response> | undefined;
    const hinder = (client: KubeClient): KubeClient => ({
      ...client,
      async patch(kind, ref, patch, options) {
        if (kind.kind === "Deployment" && options?.subresource === undefined && asked === undefined) {
          asked = ask("demo");
          await until(() => fixture.gateway.requests() === 1, "the request is held");
        }
        return client.patch(kind, ref, patch, options);
      },
    });
    await start({ wrap: hinder });
    await serving("demo", { "trivium.dev/idle-timeout": "1m" });
    await pass(61_000);
    await until(() => asked !== undefined, "it was about to be put to zero");
    assert.equal((await (asked as unknown as Promise<Response>)).status, 200);
    assert.equal(await replicas("demo"), 1);
    await pass(57_000);
    assert.equal(await replicas("demo"), 1);
    await pass(5_000);
    await until(async () => (await replicas("demo")) === 0, "it is at zero a minute later");
  });

  it("leaves alone what is loading", async () => {
    await start();
    await serving("demo", { "trivium.dev/idle-timeout": "1m" });
    await putPod(fixture.client, "demo", { phase: "Running", conditions: [{ type: "Ready", status: "False" }] });
    await turns(20);
    await pass(10 * 60_000);
    assert.equal(await replicas("demo"), 1);
    await putPod(fixture.client, "demo", readyPod);
    await turns(20);
    await pass(59_000);
    assert.equal(await replicas("demo"), 1);
    await pass(2_000);
    await until(async () => (await replicas("demo")) === 0, "it is at zero");
  });

  it("makes room by the least recently used idle one", async () => {
    await start();
    await serving("old", { "trivium.dev/idle-timeout": "10h" });
    await serving("fresh", { "trivium.dev/idle-timeout": "10h" });
    await serving("pinned", {});
    await pass(60_000);
    assert.equal((await ask("fresh")).status, 200);
    await fixture.client.create(Service, service("big", { annotations: { "trivium.dev/models": "big" } }));
    await fixture.client.create(Deployment, deployment("big", 0));
    await until(
      async () => (await (await fetch(`${fixture.gateway.url}/v1/models`)).text()).includes("big"),
      "it is listed",
    );
    const answered = ask("big");
    await until(async () => (await replicas("big")) === 1, "it is woken");
    await putPod(fixture.client, "big", {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: unschedulable }],
    });
    await until(async () => (await replicas("old")) === 0, "the oldest made room");
    assert.equal(await replicas("fresh"), 1);
    await fixture.client.delete(Pod, here("old-0"), { gracePeriodSeconds: 0 });
    await fixture.client.delete(Pod, here("big-0"), { gracePeriodSeconds: 0 });
    await appear("big");
    assert.equal((await answered).status, 200);
    assert.deepEqual([await replicas("fresh"), await replicas("pinned")], [1, 1]);
    // Who comes right after need not wait for room that has been taken already.
    await fixture.client.delete(EndpointSlice, here(`old-${model.port}`));
    await turns(20);
    const again = ask("old");
    await until(async () => (await replicas("old")) === 1, "it is woken again");
    await putPod(fixture.client, "old", {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: unschedulable }],
    });
    await until(async () => (await replicas("fresh")) === 0, "the next one made room at once");
    await fixture.client.delete(Pod, here("old-0"), { gracePeriodSeconds: 0 });
    await appear("old");
    assert.equal((await again).status, 200);
  });
});

const Serving: Kind = { group: "example.dev", version: "v1", kind: "Serving", plural: "servings", namespaced: true };

async function installServing(client: KubeClient): Promise<void> {
  const replicas = { type: "object", properties: { replicas: { type: "integer" } } };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "servings.example.dev" },
    spec: {
      group: "example.dev",
      scope: "Namespaced",
      names: { kind: "Serving", plural: "servings", singular: "serving" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: replicas, status: replicas } } },
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
          },
        },
      ],
    },
  };
  await client.create(CustomResourceDefinition, definition as never);
  await until(async () => (await client.list(Serving).catch(() => undefined)) !== undefined, "the kind is served");
}
