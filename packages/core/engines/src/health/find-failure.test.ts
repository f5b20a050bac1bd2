import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObservedContainer, ObservedPod } from "@trivium/domain";
import { findFailure, untilFailure } from "./find-failure.ts";

const pod = (name: string, rest: Partial<ObservedPod> = {}): ObservedPod => ({
  name,
  phase: "Pending",
  isReady: false,
  isLeaving: false,
  containers: [],
  ...rest,
});
const container = (rest: Partial<ObservedContainer>): ObservedContainer => ({
  name: "main",
  role: "serves",
  isReady: false,
  restarts: 0,
  state: { is: "waiting", reason: "ContainerCreating", message: "" },
  ...rest,
});
const fall = { exitCode: 1, reason: "Error", message: "boom" };
const running = { is: "running", isStarted: true } as const;

const of = (containers: readonly ObservedContainer[]) => findFailure([pod("a", { containers })]);

test("what only needs time is no trouble", () => {
  assert.equal(of([container({})]), undefined);
  assert.equal(of([container({ state: running })]), undefined);
  assert.equal(of([container({ state: { is: "ended", exitCode: 0, reason: "Completed", message: "" } })]), undefined);
  assert.equal(of([container({ state: running, restarts: 1, isReady: true, lastEnd: fall })]), undefined);
});

test("a fall is named while it waits, while it runs again, and with its last words", () => {
  const states = [
    { is: "waiting", reason: "CrashLoopBackOff", message: "" } as const,
    running,
    { is: "ended", ...fall } as const,
  ];
  for (const state of states) {
    const found = of([container({ state, restarts: 2, lastEnd: fall })]);
    assert.deepEqual([found?.kind, found?.exitCode, found?.lastLogLine], ["crash", 1, "boom"], state.is);
  }
});

test("who prepares and runs again after a fall is not well, whatever its status calls ready", () => {
  const found = of([container({ role: "prepares", isReady: true, state: running, restarts: 1, lastEnd: fall })]);
  assert.equal(found?.kind, "crash");
});

test("what ended with its node is nobody's fault", () => {
  const lastEnd = { exitCode: 137, reason: "Unknown", message: "" };
  assert.equal(of([container({ state: running, restarts: 1, lastEnd })]), undefined);
});

test("reasons of the kubelet and the scheduler have their kinds", () => {
  const waiting = (reason: string) => of([container({ state: { is: "waiting", reason, message: "why" } })])?.kind;
  assert.equal(waiting("ImagePullBackOff"), "image");
  assert.equal(waiting("CreateContainerConfigError"), "configuration");
  assert.equal(of([container({ state: { is: "ended", ...fall, reason: "OOMKilled" } })])?.kind, "memory");
  assert.equal(findFailure([pod("a", { failure: "Evicted: low on disk" })])?.kind, "evicted");
  assert.equal(findFailure([pod("a", { unschedulable: "Insufficient cpu" })])?.kind, "unschedulable");
  assert.equal(findFailure([pod("a", { unschedulable: 'persistentvolumeclaim "x" not found' })])?.kind, "volume");
});

test("of several troubles the gravest is named, then the first pod by name; those that leave do not count", () => {
  const crashed = { containers: [container({ restarts: 3, state: { is: "ended", ...fall } })] };
  const lacking = { unschedulable: "Insufficient cpu" };
  assert.equal(findFailure([pod("a", lacking), pod("b", crashed)])?.pod, "b");
  assert.equal(findFailure([pod("z", crashed), pod("b", crashed)])?.pod, "b");
  assert.equal(findFailure([pod("a", lacking), pod("b", { ...crashed, isLeaving: true })])?.pod, "a");
});

test("a first exit may pass; repeated ones, those of Jobs and those of containers that prepare do not", () => {
  const state = { is: "waiting", reason: "CrashLoopBackOff", message: "" } as const;
  assert.equal(of([container({ state, lastEnd: fall, restarts: 1 })])?.isPassing, true);
  assert.equal(of([container({ state, lastEnd: fall, restarts: 2 })])?.isPassing, undefined);
  assert.equal(of([container({ state, lastEnd: fall, role: "prepares" })])?.isPassing, undefined);
  const once = pod("a", { isOneShot: true, containers: [container({ state: { is: "ended", ...fall } })] });
  assert.equal(findFailure([once])?.isPassing, undefined);
});

const warned = (message: string, rest: Partial<ObservedContainer> = {}, reason = "Unhealthy") =>
  findFailure([
    pod("a", {
      containers: [container({ state: running, ...rest })],
      warning: { is: "known", value: { reason, message } },
      probes: { Readiness: "/wrong on port 8080" },
    }),
  ]);

test("a probe that is answered with an error is a cause; a server that does not listen yet may be loading", () => {
  const found = warned("Readiness probe failed: HTTP probe failed with statuscode: 404");
  assert.deepEqual([found?.kind, found?.probe?.code, found?.probe?.at], ["unhealthy", 404, "/wrong on port 8080"]);
  assert.equal(found?.isPassing, undefined);
  assert.equal(warned("Readiness probe failed: HTTP probe failed with statuscode: 503"), undefined);
  assert.equal(warned("Readiness probe failed: dial tcp 10.0.0.1:80: connect: connection refused")?.isPassing, true);
});

test("a server that does not listen ten minutes after its start is a failure", () => {
  const started = 1_000_000;
  const state = { is: "running", isStarted: false, since: started } as const;
  const warning = {
    is: "known",
    value: { reason: "Unhealthy", message: "Startup probe failed: dial tcp 10.0.0.1:9: connect: connection refused" },
  } as const;
  const starting = pod("a", { containers: [container({ state })], warning, declaredPorts: { Startup: [8080] } });
  const at = (now: number) => findFailure([starting], undefined, now);
  const early = at(started + 599_999);
  assert.deepEqual([early?.isPassing, untilFailure(early, started + 599_999)], [true, 1]);
  const late = at(started + 600_000);
  assert.deepEqual([late?.isPassing, late?.isOverdue, late?.probe?.declared], [undefined, true, [8080]]);
  assert.equal(untilFailure(late, started + 600_000), undefined);
  assert.equal(findFailure([starting])?.isPassing, true, "without a clock no start takes too long");
});

test("of several pods that start, the one that fails first is named", () => {
  const since = (name: string, at: number) =>
    pod(name, {
      containers: [container({ state: { is: "running", isStarted: false, since: at } })],
      warning: { is: "known", value: { reason: "Unhealthy", message: "Readiness probe failed: connection refused" } },
    });
  assert.equal(findFailure([since("a", 2_000), since("b", 1_000)], undefined, 5_000)?.pod, "b");
});

test("a container that its startup probe has killed once is no start that may pass", () => {
  const lastEnd = { exitCode: 137, reason: "Error", message: "" };
  const closed = "Startup probe failed: dial tcp 10.0.0.1:80: connect: connection refused";
  assert.equal(warned(closed, { restarts: 1, lastEnd })?.isPassing, undefined);
});

test("a container that its probe has killed is not a crash", () => {
  const lastEnd = { exitCode: 137, reason: "Error", message: "" };
  const found = warned("Liveness probe failed: HTTP probe failed with statuscode: 404", { restarts: 3, lastEnd });
  assert.deepEqual([found?.kind, found?.probe?.probe], ["unhealthy", "Liveness"]);
  const closed = "Startup probe failed: dial tcp 10.0.0.1:80: connect: connection refused";
  assert.equal(warned(closed, { restarts: 3, lastEnd: fall })?.kind, "crash", "it never came to listen");
  const out = { exitCode: 137, reason: "OOMKilled", message: "" };
  assert.equal(warned(closed, { restarts: 3, lastEnd: out })?.kind, "memory", "no probe runs out of memory");
});

test("what a node warns of before there are containers", () => {
  const state = { is: "waiting", reason: "ContainerCreating", message: "" } as const;
  const message = 'MountVolume.SetUp failed for volume "keys" : secret "keys" not found';
  assert.equal(warned(message, { state }, "FailedMount")?.kind, "volume");
  assert.equal(warned("no address is left", { state }, "FailedCreatePodSandBox")?.kind, "configuration");
});

test("pods that their controller cannot create are a cause where no pod has one", () => {
  const quota = 'pods "x" is forbidden: exceeded quota: team';
  assert.deepEqual(findFailure([], quota), { kind: "refused", pod: "", message: quota });
  const crashed = pod("a", { containers: [container({ restarts: 3, state: { is: "ended", ...fall } })] });
  assert.equal(findFailure([crashed], quota)?.kind, "crash");
});

test("a first exit may pass, but not one that no restart changes", () => {
  const first = (message: string) =>
    findFailure([
      pod("a", { containers: [container({ restarts: 1, lastEnd: { exitCode: 1, reason: "Error", message } })] }),
    ]);
  assert.equal(first("connection reset")?.isPassing, true);
  assert.equal(first("error: unknown model architecture: 'novel'")?.isPassing, undefined);
  assert.equal(first("CUDA driver version is insufficient for CUDA runtime version")?.isPassing, undefined);
});
