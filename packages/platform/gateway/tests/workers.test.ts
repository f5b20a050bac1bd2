import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { after, afterEach, before, describe, it } from "node:test";
import { Deployment, EndpointSlice, Event, Service } from "@trivium/kube";
import {
  addService,
  chunk,
  completes,
  deployment,
  endpoints,
  named,
  putPod,
  readyPod,
  service,
  until,
} from "./fixture.ts";
import { type Program, type ProgramFixture, startProgramFixture } from "./program-fixture.ts";

const here = (name: string) => ({ namespace: "default", name });

/** Streams that the test ends itself; anything else is answered at once. */
const streams: ServerResponse[] = [];

const skip = process.platform === "linux" ? false : "finds the processes of the program in /proc, which only Linux has";

describe("several workers", { skip }, () => {
  let fixture: ProgramFixture;
  let program: Program;
  let url: string;
  let metricsUrl: string;

  before(async () => {
    fixture = await startProgramFixture((incoming, response, body) => {
      if (!body.includes('"stream":true')) return completes(incoming, response, body);
      response.setHeader("content-type", "text/event-stream");
      response.write(chunk("begun"));
      streams.push(response);
    });
  });
  after(() => fixture.close());
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.end();
    program.child.kill("SIGTERM");
    await program.ended;
  });

  async function start(workers: number, ...more: string[]): Promise<void> {
    program = fixture.start(["--kubeconfig", fixture.kubeconfig, "--port", "0", "--workers", String(workers), ...more]);
    await until(() => program.output.text.includes("ready: "), "all workers are ready");
    [, url = "", metricsUrl = ""] = /^ready: (\S+) metrics: (\S+)\n/m.exec(program.output.text) ?? [];
  }

  /** The processes that the program has started. */
  const pids = (): number[] => {
    const { pid } = program.child;
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  };

  /** Each on a connection of its own, so that all workers get some. */
  function ask(model: string, more: object = {}) {
    const begun = Promise.withResolvers<number>();
    const ended = Promise.withResolvers<string>();
    const outgoing = request(`${url}/v1/chat/completions`, { method: "POST", agent: false }, (response) => {
      begun.resolve(response.statusCode ?? 0);
      let text = "";
      response.on("data", (piece: Buffer) => {
        text += piece.toString();
      });
      response.on("close", () => ended.resolve(response.complete ? text : "broken"));
    });
    outgoing.on("error", () => {
      begun.resolve(0);
      ended.resolve("broken");
    });
    outgoing.end(JSON.stringify({ model, messages: [], ...more }));
    return { status: begun.promise, text: ended.promise };
  }
  const statuses = (asked: readonly { status: Promise<number> }[]) => Promise.all(asked.map(({ status }) => status));
  const many = (count: number, model = "demo", more: object = {}) =>
    Array.from({ length: count }, () => ask(model, more));

  /** Whether the address is closed. */
  const isRefused = () =>
    new Promise<boolean>((resolve) => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname, () => resolve(false));
      socket.on("error", () => resolve(true)).on("connect", () => socket.destroy());
    });

  async function figure(pattern: RegExp): Promise<number> {
    return Number(pattern.exec(await (await fetch(metricsUrl)).text())?.[1] ?? Number.NaN);
  }
  const requests = () => figure(/^trivium_gateway_requests_total\{model="default\/demo",code="200"\} (\d+)$/m);
  const workers = () => figure(/^trivium_gateway_workers (\d+)$/m);
  const replicas = async (name: string) => (await fixture.client.get(Deployment, here(name))).spec?.replicas;
  const eventsOf = async (name: string, reason: string) =>
    (await fixture.client.list(Event, { namespace: "default" })).items
      .filter((event) => event.reason === reason && event.involvedObject.name === name)
      .reduce((sum, { count = 1 }) => sum + count, 0);

  async function addIdling(name: string, idleTimeout: string): Promise<void> {
    await addService(fixture.client, name, [fixture.model.port]);
    const made = await fixture.client.create(
      Deployment,
      deployment(name, 1, { "trivium.dev/idle-timeout": idleTimeout }),
    );
    await putPod(fixture.client, name, readyPod);
    const body = { status: { observedGeneration: made.metadata.generation as number } };
    await fixture.client.patch(Deployment, named(made), { type: "merge", body }, { subresource: "status" });
  }

  it("serve one address, and are counted as one", async () => {
    await start(3);
    assert.equal(pids().length, 3);
    assert.deepEqual(new Set(await statuses(many(30))), new Set([200]));
    await until(async () => (await requests()) === 30, "all requests are counted");
    assert.equal(await workers(), 3);
    assert.equal((await fetch(metricsUrl.replace("/metrics", "/readyz"))).status, 200);
  });

  it("go on when one of them is killed, which is replaced, and no total falls", async () => {
    await start(3);
    await statuses(many(9));
    await until(async () => (await requests()) === 9, "they are counted");
    const open = many(6, "demo", { stream: true });
    assert.deepEqual(await statuses(open), [200, 200, 200, 200, 200, 200]);
    const [victim = 0, ...others] = pids();
    process.kill(victim, "SIGKILL");
    await until(async () => (await workers()) === 3 && !pids().includes(victim), "another one has taken its place");
    assert.ok(
      others.every((pid) => pids().includes(pid)),
      "the others were restarted, too",
    );
    for (const stream of streams.splice(0)) stream.end("data: [DONE]\n\n");
    const texts = await Promise.all(open.map(({ text }) => text));
    // How streams spread over the workers is the system's to decide; those of the others end as they should.
    const isBroken = (text: string) => text === "broken";
    assert.ok(texts.every((text) => isBroken(text) || text.endsWith("data: [DONE]\n\n")));
    assert.ok(!texts.every(isBroken), "the streams of the other workers were broken");
    assert.ok((await requests()) >= 9, "a total has fallen");
    assert.deepEqual(new Set(await statuses(many(9))), new Set([200]));
    assert.match(program.output.text, /"msg":"a worker exited; starting another one"/);
  });

  it("come back at the same address when all are killed", async () => {
    await start(2);
    const killed = pids();
    for (const pid of killed) process.kill(pid, "SIGKILL");
    const areReplaced = () => !pids().some((pid) => killed.includes(pid));
    await until(async () => areReplaced() && (await workers()) === 2, "all were replaced");
    assert.deepEqual(await statuses(many(4)), [200, 200, 200, 200]);
  });

  it("share the places to wait, and start what is at zero once", async () => {
    await fixture.client.create(Service, service("zero", { annotations: { "trivium.dev/models": "zero" } }));
    await fixture.client.create(Deployment, deployment("zero", 0));
    await start(2, "--max-held-per-model", "4");
    const asked = many(10, "zero");
    let refused = 0;
    for (const { status } of asked) void status.then((code) => code === 429 && refused++);
    await until(() => refused === 6, "those for whom there is no place are refused");
    await until(async () => (await replicas("zero")) === 1, "it is started");
    await putPod(fixture.client, "zero", readyPod);
    for (const slice of endpoints("zero", [fixture.model.port])) await fixture.client.create(EndpointSlice, slice);
    assert.deepEqual((await statuses(asked)).sort(), [200, 200, 200, 200, 429, 429, 429, 429, 429, 429]);
    await until(async () => (await eventsOf("zero", "Woken")) > 0, "it is reported");
    assert.equal(await eventsOf("zero", "Woken"), 1);
  });

  it("scale to zero what none of them uses, and only that", async () => {
    await start(2);
    await addIdling("used", "1s");
    const stream = ask("used", { stream: true });
    assert.equal(await stream.status, 200);
    await addIdling("unused", "1s");
    await until(async () => (await replicas("unused")) === 0, "the unused one is at zero");
    assert.equal(await replicas("used"), 1, "a service with a request in progress was scaled to zero");
    for (const open of streams.splice(0)) open.end();
    await until(async () => (await replicas("used")) === 0, "it is at zero after its last request");
    // Both workers hold what comes now, until replicas of a new start are there.
    const before = fixture.model.requests.length;
    const asked = many(4, "used");
    await until(async () => (await replicas("used")) === 1, "it is started again");
    assert.equal(fixture.model.requests.length, before, "a request reached a replica that is stopping");
    await fixture.client.delete(EndpointSlice, here(`used-${fixture.model.port}`));
    for (const slice of endpoints("used", [fixture.model.port])) {
      const renamed = { ...slice, metadata: { ...slice.metadata, name: "used-again" } };
      await fixture.client.create(EndpointSlice, renamed);
    }
    assert.deepEqual(await statuses(asked), [200, 200, 200, 200]);
  });

  it("let streams end when they are stopped, and leave no process behind", async () => {
    await start(2);
    const open = many(4, "demo", { stream: true });
    assert.deepEqual(await statuses(open), [200, 200, 200, 200]);
    const started = pids();
    program.child.kill("SIGTERM");
    await until(isRefused, "no new connections are accepted");
    for (const stream of streams.splice(0)) stream.end("data: [DONE]\n\n");
    for (const { text } of open) assert.match(await text, /data: \[DONE\]\n\n$/);
    assert.equal(await program.ended, 0);
    assert.deepEqual(started.filter(isRunning), []);
  });

  it("exit when the process that started them is killed", async () => {
    await start(2);
    const started = pids();
    program.child.kill("SIGKILL");
    await until(() => !started.some(isRunning), "the workers have exited");
  });

  it("say once why they cannot start", async () => {
    await start(1);
    const { port } = new URL(url);
    const second = fixture.start(["--kubeconfig", fixture.kubeconfig, "--port", port, "--workers", "3"]);
    assert.equal(await second.ended, 1);
    assert.equal(second.output.text.match(/^trivium-gateway: .*EADDRINUSE/gm)?.length, 1, second.output.text);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
