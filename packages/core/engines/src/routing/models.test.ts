import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ServedModel } from "@trivium/domain";
import type { Deployment, Pod } from "@trivium/kube";
import fc from "fast-check";
import { listNames, ModelDirectory, resolveUpstream, shownName, summarizeModels } from "./model-directory.ts";
import { pickByPrefix, pickLeastLoaded } from "./pick-replica.ts";
import { judgeIdle, type Sleeper, selectVictim } from "./select-idle.ts";
import { summarizeWaking } from "./wake-state.ts";

const model = (namespace: string, service: string, more: Partial<ServedModel> = {}): ServedModel => ({
  backend: { namespace, service, port: 80 },
  aliases: [],
  pods: `${namespace}/${service}`,
  isHeadless: false,
  ...more,
});

function find(models: ServedModel[], name: string): string {
  const found = new ModelDirectory(models).find(name);
  if (found.is === "found") return `${found.model.backend.namespace}/${found.model.backend.service}`;
  return found.is;
}

describe("model names", () => {
  const demo = model("a", "demo", { aliases: ["llama"], listed: ["meta/llama-3"] });
  it("are Services, aliases and what servers list, with or without a namespace", () => {
    for (const name of ["demo", "a/demo", "llama", "a/llama", "meta/llama-3", "a/meta/llama-3"])
      assert.equal(find([demo], name), "a/demo", name);
    for (const name of ["", "/", "b/demo", "meta", "demo/", "__proto__"])
      assert.equal(find([demo], name), "unknown", name);
  });

  it("mean the stronger of two, and nobody when two are equal", () => {
    assert.equal(find([demo, model("b", "other", { listed: ["demo"] })], "demo"), "a/demo");
    assert.equal(find([demo, model("b", "demo")], "demo"), "ambiguous");
    assert.equal(find([demo, model("b", "demo")], "b/demo"), "b/demo");
    assert.equal(find([demo, model("b", "thief", { aliases: ["a/demo"] })], "a/demo"), "a/demo");
  });

  it("mean the Service itself when a headless one stands for the same pods", () => {
    const headless = model("a", "a-headless", { listed: ["m"], pods: "same", isHeadless: true });
    const plain = model("a", "plain", { listed: ["m"], pods: "same" });
    assert.equal(find([headless, plain], "m"), "a/plain");
    assert.equal(find([plain, headless], "m"), "a/plain");
  });

  it("are replaced only where the server does not list them", () => {
    assert.deepEqual(resolveUpstream(demo, "meta/llama-3"), { is: "known", name: "meta/llama-3" });
    assert.deepEqual(resolveUpstream(demo, "demo"), { is: "known", name: "meta/llama-3" });
    assert.deepEqual(resolveUpstream(model("a", "x"), "x"), { is: "known", name: "x" });
    assert.deepEqual(resolveUpstream(model("a", "x", { listed: ["one", "two"], aliases: ["two"] }), "x"), {
      is: "known",
      name: "two",
    });
    assert.deepEqual(resolveUpstream(model("a", "x", { listed: ["lora", "base"] }), "a/lora"), {
      is: "known",
      name: "lora",
    });
  });

  it("of adapters lead to the model, with their number where the server knows them by that", () => {
    const numbered = [
      { name: "poet", id: 0 },
      { name: "style", id: 1 },
    ];
    const llama = model("a", "chat", { aliases: ["chat", "demo"], adapters: numbered, listed: ["demo"] });
    for (const name of ["style", "a/style"]) {
      assert.equal(find([llama], name), "a/chat");
      assert.deepEqual(resolveUpstream(llama, name), { is: "known", name: "demo", adapter: 1 });
    }
    assert.deepEqual(resolveUpstream(llama, "chat"), { is: "known", name: "demo" });
    const unread = { ...llama, listed: undefined };
    assert.deepEqual(resolveUpstream(unread, "poet"), { is: "known", name: "poet", adapter: 0 });
    assert.deepEqual(listNames(llama), ["chat", "demo", "poet", "style"]);
    // A name of the service itself means the model, whatever its adapters are called.
    const same = model("a", "poet", { adapters: numbered, listed: ["demo"] });
    assert.deepEqual(resolveUpstream(same, "poet"), { is: "known", name: "demo" });
  });

  it("of an adapter that several services have are told apart by the service", () => {
    const adapters = [{ name: "poet", id: 0 }];
    const chat = model("a", "chat", { aliases: ["acme/demo"], adapters, listed: ["demo"] });
    const vllm = model("b", "other", { adapters: [{ name: "poet" }], listed: ["base", "poet"] });
    const directory = new ModelDirectory([chat, vllm, model("a", "plain", { listed: ["x"] })]);
    assert.deepEqual(directory.find("poet"), { is: "ambiguous", names: ["a/chat/poet", "b/other/poet"] });
    for (const name of ["a/chat/poet", "chat/poet", "acme/demo/poet", "a/acme/demo/poet"]) {
      assert.deepEqual(directory.find(name), { is: "found", model: chat }, name);
      assert.deepEqual(resolveUpstream(chat, name), { is: "known", name: "demo", adapter: 0 }, name);
    }
    assert.deepEqual(directory.find("b/other/poet"), { is: "found", model: vllm });
    assert.deepEqual(resolveUpstream(vllm, "b/other/poet"), { is: "known", name: "poet" });
    for (const name of ["a/plain/poet", "b/chat/poet", "chat/none", "a/chat/poet/poet", `${"a/".repeat(100_000)}poet`])
      assert.equal(directory.find(name).is, "unknown", name.slice(0, 20));
  });

  it("of adapters are offered only where the server lists them or has numbers for them", () => {
    const adapters = [{ name: "poet" }];
    const vllm = model("a", "chat", { aliases: ["demo"], adapters, listed: ["demo", "poet"] });
    assert.deepEqual(resolveUpstream(vllm, "poet"), { is: "known", name: "poet" });
    assert.deepEqual(listNames(vllm), ["demo", "poet"]);
    const standIn = { ...vllm, listed: ["demo"] };
    assert.deepEqual(resolveUpstream(standIn, "poet"), { is: "unloaded", adapter: "poet" });
    assert.deepEqual(listNames(standIn), ["demo"]);
    assert.deepEqual(resolveUpstream({ ...vllm, listed: undefined }, "poet"), { is: "known", name: "poet" });
  });

  it("are shown so that they find the model again, and not without end", () => {
    const directory = new ModelDirectory([
      demo,
      model("b", "demo", { listed: ["x"] }),
      model("y", "nginx"),
      ...Array.from({ length: 30 }, (_, i) => model("z", `m${i}`, { listed: [`n${i}`] })),
    ]);
    for (const each of directory.models)
      assert.deepEqual(directory.find(shownName(directory, each)), { is: "found", model: each });
    assert.match(summarizeModels(directory), /^llama, b\/demo, m0, .* and 12 more$/);
  });
});

describe("replicas", () => {
  const replicas = (...loads: number[]) =>
    loads.map((outstanding, index) => ({ authority: `10.0.0.${index}:80`, outstanding }));

  it("are picked by what they have to do, equals at random", () => {
    assert.equal(pickLeastLoaded(replicas(3, 1, 2), () => 0.9)?.authority, "10.0.0.1:80");
    const picked = new Set(
      [0, 0.4, 0.6, 0.99].map((number) => pickLeastLoaded(replicas(1, 1, 1), () => number)?.authority),
    );
    assert.ok(picked.size > 1);
    assert.equal(
      pickLeastLoaded([], () => 0),
      undefined,
    );
  });

  it("by prefix stay the same while their number does, and mostly when it changes", () => {
    const prefixes = Array.from({ length: 300 }, (_, index) => `prefix ${index}`);
    const homes = (count: number) =>
      prefixes.map((prefix) => pickByPrefix(replicas(...Array(count).fill(0)), prefix)?.authority);
    const [three, four] = [homes(3), homes(4)];
    const moved = three.filter((home, index) => home !== four[index]).length;
    assert.ok(moved > 30 && moved < 130, `${moved} of 300 moved`);
    assert.ok(three.every((home, index) => home === four[index] || four[index] === "10.0.0.3:80"));
  });

  it("by prefix never get more than their bound while others idle", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), fc.string(), (loads, prefix) => {
        const picked = pickByPrefix(replicas(...loads), prefix);
        const total = loads.reduce((sum, load) => sum + load, 1);
        assert.ok(picked !== undefined && picked.outstanding < Math.ceil((total / loads.length) * 1.25));
      }),
    );
  });
});

describe("what waits", () => {
  const workload = (replicas: number): Deployment => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: { replicas, selector: {}, template: {} },
  });
  const pod = (status: Pod["status"], metadata: Pod["metadata"] = { name: "p" }): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { containers: [] },
    status,
  });
  const container = (state: object) => ({ name: "main", image: "", imageID: "", ready: false, restartCount: 0, state });
  const crashed = pod({ containerStatuses: [container({ waiting: { reason: "CrashLoopBackOff" } })] });

  it("is summed up in one state", () => {
    assert.equal(summarizeWaking([], []).is, "nobody");
    assert.equal(summarizeWaking([workload(0)], [crashed]).is, "asleep");
    assert.deepEqual(summarizeWaking([workload(1)], []), { is: "coming", what: "creating pods" });
    assert.deepEqual(summarizeWaking([workload(1)], [crashed]), {
      is: "stuck",
      why: "CrashLoopBackOff: container main of pod p",
    });
    const waiting = { waiting: { reason: "CrashLoopBackOff", message: "back-off 20s restarting" } };
    const spoken = (message: string) =>
      summarizeWaking(
        [workload(1)],
        [pod({ containerStatuses: [{ ...container(waiting), lastState: { terminated: { exitCode: 1, message } } }] })],
      );
    const start = "Container main of Pod p exited with code 1; restarting";
    const log = "check its log with kubectl logs p -c main --previous";
    const told = (line: string) => ({ is: "stuck", why: `${start}. Last log line: ${line}; ${log}` });
    assert.deepEqual(spoken("no such\u001b[0m file\n"), told("no such file"));
    assert.deepEqual(spoken('{"event":"error","message":"it is gone"}'), told("it is gone"));
    assert.deepEqual(spoken(""), { is: "stuck", why: `${start}; ${log}` });
    const long = spoken("x".repeat(5_000));
    assert.ok(long.is === "stuck" && long.why.length < 1_100);
    const leaving = pod({ phase: "Running" }, { name: "p", deletionTimestamp: "2026-01-01T00:00:00Z" });
    assert.deepEqual(summarizeWaking([workload(1)], [leaving]), { is: "coming", what: "creating pods" });
    const loading = pod({ containerStatuses: [container({ running: {} })] });
    assert.equal(summarizeWaking([workload(2)], [crashed, loading]).is, "coming");
    const nowhere = pod({
      conditions: [{ type: "PodScheduled", status: "False", message: "0/1 nodes: 1 Insufficient cpu." }],
    });
    const state = summarizeWaking([workload(1)], [nowhere]);
    assert.ok(state.is === "unschedulable" && state.needsSpace);
    const message =
      "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. no new claims to deallocate, " +
      "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
    const gpu = pod({ conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }] });
    const unplaced = summarizeWaking([workload(1)], [gpu]);
    assert.equal(
      unplaced.is === "unschedulable" && unplaced.why,
      "Pod p cannot be scheduled: no node has enough nvidia.com/gpu (0/1 nodes are available: 1 Insufficient nvidia.com/gpu); " +
        "add a larger node, or request fewer",
    );
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status: { allocatable: { cpu: "4" } } };
    const asking = {
      ...gpu,
      spec: { containers: [{ name: "main", resources: { requests: { "nvidia.com/gpu": 2 } } }] },
    };
    const known = summarizeWaking([workload(1)], [asking as never], [node]);
    assert.match(known.is === "unschedulable" ? known.why : "", /: no node provides nvidia.com\/gpu: it needs 2 /);
    const configuration = { reason: "CreateContainerConfigError", message: 'secret "absent" not found' };
    assert.deepEqual(
      summarizeWaking([workload(1)], [pod({ containerStatuses: [container({ waiting: configuration })] })]),
      {
        is: "stuck",
        why: "Container main of Pod p cannot start: Secret absent not found; create it, or correct its environment",
      },
    );
    const tainted = pod({
      conditions: [{ type: "PodScheduled", status: "False", message: "0/1 nodes: untolerated taint." }],
    });
    const refused = summarizeWaking([workload(1)], [tainted]);
    assert.ok(refused.is === "unschedulable" && !refused.needsSpace);
  });
});

describe("who sleeps", () => {
  const sleeper = (key: string, more: Partial<Sleeper> = {}): Sleeper => ({
    key,
    idleTimeout: 100,
    lastUsed: 1_000,
    requests: 0,
    isAwake: true,
    isLoading: false,
    ...more,
  });

  it("is who was idle long enough", () => {
    assert.deepEqual(judgeIdle(sleeper("a"), 1_099), { is: "later", at: 1_100 });
    assert.deepEqual(judgeIdle(sleeper("a"), 1_100), { is: "sleep" });
    for (const more of [{ requests: 1 }, { isAwake: false }, { isLoading: true }]) {
      assert.deepEqual(judgeIdle(sleeper("a", more), 9_999), { is: "no" });
    }
  });

  it("makes room in the order of last use, whoever is busy or loading excepted", () => {
    const sleepers = [
      sleeper("a", { lastUsed: 5 }),
      sleeper("b", { lastUsed: 3 }),
      sleeper("busy", { lastUsed: 1, requests: 1 }),
      sleeper("loading", { lastUsed: 0, isLoading: true }),
    ];
    assert.equal(selectVictim(sleepers)?.key, "b");
    assert.equal(selectVictim([]), undefined);
  });
});
