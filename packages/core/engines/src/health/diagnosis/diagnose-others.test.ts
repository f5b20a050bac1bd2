import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Failure, FieldPaths } from "@trivium/domain";
import type { HTTPRoute } from "@trivium/kube";
import {
  classifyCrash,
  type DiagnosisContext,
  diagnose,
  diagnoseController,
  diagnoseMissing,
  diagnoseRoute,
  formatDiagnosis,
  readRouteParents,
} from "../index.ts";
import { diagnoseMissingApi } from "./diagnose-controller.ts";
import type { ObservedRoute } from "./diagnose-route.ts";

const paths: FieldPaths = {
  image: "spec.image",
  source: "spec.source",
  token: "HF_TOKEN in spec.env",
  checksum: "spec.sha256",
  storage: "spec.size",
  route: "spec.routing",
  scaling: "spec.autoscaling",
};

const download = (exitCode: number, lastLogLine: string): Failure => ({
  kind: "crash",
  pod: "chat-0",
  container: "fetch",
  role: "prepares",
  message: "",
  exitCode,
  lastLogLine,
});
const engine = (lastLogLine: string): Failure => ({
  kind: "crash",
  pod: "chat-0",
  container: "server",
  role: "serves",
  message: "",
  exitCode: 1,
  lastLogLine,
});

describe("downloads and engines that exit", () => {
  const rows: readonly [string, Failure, Partial<DiagnosisContext>, string][] = [
    [
      "a missing source",
      download(3, "no such file"),
      {},
      "Container fetch exited with code 3: no such file; correct spec.source",
    ],
    [
      "a missing or private repository",
      download(3, "404"),
      { isHub: true },
      "Container fetch exited with code 3: 404; correct spec.source; for a private repository, set HF_TOKEN in spec.env from a Secret with a token that can read it",
    ],
    [
      "no token",
      download(4, "401"),
      {},
      "Container fetch exited with code 4: 401; set HF_TOKEN in spec.env from a Secret with a token that can read it",
    ],
    [
      "a checksum",
      download(5, "mismatch"),
      {},
      "Container fetch exited with code 5: mismatch; correct spec.sha256, or spec.source",
    ],
    [
      "a full node",
      download(6, "no space"),
      {},
      "Container fetch exited with code 6: no space; free space on the node, or change spec.size",
    ],
    [
      "a full claim",
      download(6, "no space"),
      { claim: { name: "weights", size: "1Gi" } },
      "Container fetch exited with code 6: no space; free space on PersistentVolumeClaim weights of 1Gi, expand it, or change spec.size",
    ],
    [
      "a source that does not respond",
      download(7, "timeout"),
      {},
      "Container fetch exited with code 7: timeout; check that the nodes can reach the source; retrying automatically",
    ],
    [
      "a certificate",
      download(7, "self-signed certificate"),
      {},
      "Container fetch exited with code 7: self-signed certificate; make its certificate authority available to the pods",
    ],
    ["a stop", download(130, ""), {}, "Container fetch exited with code 130; wait; it is restarted automatically"],
    [
      "an old driver",
      engine("CUDA driver version is insufficient for CUDA runtime version"),
      { node: { name: "gpu-1", driver: "driver 470" } },
      "Container server exited with code 1 on node gpu-1 (driver 470): CUDA driver version is insufficient for CUDA runtime version; update the driver of the node, or set spec.image to a build for an older driver",
    ],
    [
      "a model that the engine does not support",
      engine("unknown model architecture: 'x'"),
      {},
      "Container server of Pod chat-0 cannot load the model. Last log line: unknown model architecture: 'x'; set spec.image to a newer build of the engine, or use another model",
    ],
  ];
  for (const [name, failure, context, expected] of rows)
    test(name, () => assert.equal(formatDiagnosis(diagnose(failure, { paths, ...context })), expected));

  test("the kind of a crash is data", () => {
    assert.deepEqual(classifyCrash(download(6, "")), { is: "transfer", fault: "full" });
    assert.deepEqual(classifyCrash(download(1, "segfault")), { is: "other" });
    assert.deepEqual(classifyCrash(engine("boom")), { is: "other" });
  });
});

describe("routes", () => {
  const route: ObservedRoute = {
    subject: "HTTPRoute chat",
    parents: [],
    parent: "Gateway infra/main",
    isParentMissing: false,
  };
  const report = (reason: string, accepted = false) => ({ accepted, reason, message: "no" });
  const rows: readonly [string, Partial<ObservedRoute>, string, string][] = [
    ["accepted", { parents: [report("Accepted", true)] }, "accepted", ""],
    [
      "no Gateway",
      { isParentMissing: true },
      "waiting",
      "Gateway infra/main not found; create it, or change spec.routing",
    ],
    [
      "no answer",
      { parents: [report("Pending")] },
      "waiting",
      "Waiting for Gateway infra/main to accept HTTPRoute chat; check that a controller for Gateway infra/main runs if this does not change",
    ],
    [
      "another namespace",
      { parents: [report("NotAllowedByListeners")] },
      "refused",
      "Gateway infra/main rejected HTTPRoute chat (NotAllowedByListeners): no; allow routes from this namespace in spec.listeners[].allowedRoutes of Gateway infra/main",
    ],
    [
      "a reason of its own",
      { parents: [report("Odd")] },
      "refused",
      "Gateway infra/main rejected HTTPRoute chat (Odd): no; correct spec.routing, or the configuration of Gateway infra/main",
    ],
    [
      "a Service that is not found yet",
      { parents: [report("BackendNotFound")] },
      "waiting",
      "Gateway infra/main does not find what HTTPRoute chat leads to: no; wait until the Service exists, or check its name",
    ],
  ];
  for (const [name, more, is, expected] of rows)
    test(name, () => {
      const outcome = diagnoseRoute({ ...route, ...more }, paths);
      assert.equal(outcome.is, is);
      assert.equal(outcome.is === "accepted" ? "" : formatDiagnosis(outcome.diagnosis), expected);
    });
});

describe("what the parents of a route report", () => {
  const condition = (type: string, status: "True" | "False" | "Unknown", reason: string, observedGeneration = 3) => ({
    ...{ type, status, reason, observedGeneration, message: "so" },
    lastTransitionTime: "2026-01-01T00:00:00Z",
  });
  const reportsOf = (...conditions: ReturnType<typeof condition>[]) =>
    readRouteParents({
      ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata: { name: "chat", generation: 3 } },
      status: { parents: [{ parentRef: { name: "main" }, controllerName: "example.com/x", conditions }] },
    } as HTTPRoute).map(({ accepted, reason }) => `${accepted} ${reason}`);
  const accepted = condition("Accepted", "True", "Accepted");

  test("it is accepted and leads to something", () => {
    assert.deepEqual(reportsOf(accepted, condition("ResolvedRefs", "True", "ResolvedRefs")), ["true ResolvedRefs"]);
    assert.deepEqual(reportsOf(accepted), ["true Accepted"]);
  });
  test("an accepted route that leads nowhere is not accepted", () => {
    assert.deepEqual(reportsOf(accepted, condition("ResolvedRefs", "False", "RefNotPermitted")), [
      "false RefNotPermitted",
    ]);
  });
  test("a report of an earlier spec is none", () => {
    assert.deepEqual(reportsOf(condition("Accepted", "True", "Accepted", 2)), ["false Pending"]);
    assert.deepEqual(reportsOf(accepted, condition("ResolvedRefs", "True", "ResolvedRefs", 2)), ["false Pending"]);
    assert.deepEqual(reportsOf(condition("Accepted", "Unknown", "Accepted")), ["false Pending"]);
    assert.deepEqual(reportsOf(), ["false Pending"]);
  });
});

describe("controllers that run what we hand over", () => {
  const rows: readonly [Parameters<typeof diagnoseController>[0], string][] = [
    [
      {
        controller: "KServe",
        subject: "InferenceService chat",
        reason: "ServerlessModeRejected",
        message: "no Knative.",
      },
      "KServe cannot run InferenceService chat: no Knative; install Knative, or use the deployment mode RawDeployment in the configuration of KServe",
    ],
    [
      { controller: "KEDA", subject: "ScaledObject chat", message: "trigger failed" },
      "KEDA cannot run ScaledObject chat: trigger failed; correct spec.autoscaling, or check ScaledObject chat with kubectl describe",
    ],
    [
      { controller: "Knative", subject: "Revision chat-1", reason: "ContainerMissing", message: "" },
      "Knative cannot run Revision chat-1: ContainerMissing; check Revision chat-1 with kubectl describe; retrying automatically",
    ],
    [
      {
        controller: "Knative",
        subject: "Revision chat-1",
        reason: "ContainerMissing",
        message: "failed to resolve image to digest: 401 Unauthorized",
      },
      "Knative cannot run Revision chat-1: failed to resolve image to digest: 401 Unauthorized; add a Secret with access to the registry to the pull secrets",
    ],
    [
      { controller: "LeaderWorkerSet", subject: "LeaderWorkerSet chat", reason: "constructor", message: "x" },
      "LeaderWorkerSet cannot run LeaderWorkerSet chat: x; check LeaderWorkerSet chat with kubectl describe",
    ],
  ];
  for (const [report, expected] of rows)
    test(`${report.controller} ${report.reason ?? ""}`, () =>
      assert.equal(formatDiagnosis(diagnoseController(report, paths)), expected));

  test("one that is not installed", () => {
    const found = diagnoseMissingApi("KEDA", "scaling by pod metrics", "remove spec.autoScaling");
    assert.equal(
      formatDiagnosis(found),
      "KEDA is not installed, so scaling by pod metrics is not available; install KEDA, or remove spec.autoScaling",
    );
  });
});

test("objects that do not exist", () => {
  const one = diagnoseMissing({ kind: "Secret", names: ["hf"], where: "this namespace" });
  assert.equal(formatDiagnosis(one), "Secret hf not found in this namespace; create it");
  const two = diagnoseMissing({
    kind: "Secret",
    names: ["a", "b"],
    stops: "Container server of Pod chat-0",
    instead: "correct spec.env",
  });
  assert.equal(
    formatDiagnosis(two),
    "Container server of Pod chat-0 cannot start: Secrets a, b not found; create them, or correct spec.env",
  );
});
