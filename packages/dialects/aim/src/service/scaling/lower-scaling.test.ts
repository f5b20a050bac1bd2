import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { known } from "@trivium/std";
import { defaultOptions } from "../../options.ts";
import { type Service, scaledNameOf } from "../names/names.ts";
import type { ObservedAutoscaler, ObservedScaling } from "../observed/observed-service.ts";
import { faultOfReplicas, lowerReplicas } from "../roles/replicas.ts";
import { judgeScaling } from "./judge-scaling.ts";
import { lowerScaling, type Scaling } from "./lower-scaling.ts";

type Spec = Service["spec"];
const service = (spec: Partial<Spec>): Service => ({
  apiVersion: "aim.silogen.ai/v1alpha1",
  kind: "AIMService",
  metadata: { name: "chat", namespace: "team-a" },
  spec: { model: { ref: "foo" }, ...spec },
});

type Metric = NonNullable<NonNullable<Spec["autoScaling"]>["metrics"]>[number];
const running: Metric = {
  type: "PodMetric",
  podmetric: {
    metric: {
      backend: "opentelemetry",
      query: "vllm:num_requests_running",
      metricNames: ["vllm:num_requests_running"],
    },
    target: { type: "Value", value: "4" },
  },
};
const measured = (podmetric: NonNullable<Metric["podmetric"]>): Partial<Spec> => ({
  maxReplicas: 3,
  autoScaling: { metrics: [{ ...running, podmetric: { ...running.podmetric, ...podmetric } }] },
});

test("replicas: a number, or bounds", () => {
  const bounds = (spec: Partial<Spec>): unknown[] => {
    const { min, max, scaler } = lowerReplicas(service(spec));
    return [min, max, scaler];
  };
  assert.deepEqual(bounds({}), [1, 1, "none"]);
  assert.deepEqual(bounds({ replicas: 3 }), [3, 3, "none"]);
  assert.deepEqual(bounds({ replicas: 0 }), [0, 0, "none"]);
  assert.deepEqual(bounds({ minReplicas: 2 }), [2, 2, "keda"]);
  assert.deepEqual(bounds({ maxReplicas: 4 }), [1, 4, "keda"]);
  assert.deepEqual(bounds({ replicas: 9, minReplicas: 2, maxReplicas: 4 }), [2, 4, "keda"]);
  assert.deepEqual(bounds({ autoScaling: { metrics: [running] } }), [1, 1, "keda"]);
});

test("the annotation of the service selects the autoscaler", () => {
  const chosen = (scaler: string, spec: Partial<Spec> = { maxReplicas: 3, autoScaling: { metrics: [running] } }) => {
    const plain = service(spec);
    const annotations = { "serving.kserve.io/autoscalerClass": scaler };
    const observed = { kserve: known(false), scaling: { autoscaler: { is: "absent" }, keda: known(true) } } as const;
    const asked = { ...plain, metadata: { ...plain.metadata, annotations } };
    const replicas = lowerReplicas(asked);
    return lowerScaling({ service: asked, replicas, observed, labels: {}, port: 8000, options: defaultOptions });
  };
  assert.deepEqual(chosen("none"), { is: "fixed" });
  assert.deepEqual(chosen("external"), { is: "fixed" });
  assert.deepEqual(chosen("somebody-elses"), { is: "fixed" });
  assert.equal(chosen("keda").is, "keda");
  const byKubernetes = chosen("hpa");
  assert.equal(byKubernetes.is, "hpa");
  const measured = { name: "chat-predictor", current: 1, desired: 1, scales: "well", measures: "well" } as const;
  const word = judgeScaling(byKubernetes, { autoscaler: known(measured) });
  assert.deepEqual([word?.status, word?.reason], ["True", "HPAOperational"]);
  assert.match(
    word?.message ?? "",
    /scales the service. Annotation .*autoscalerClass is hpa.*target.type Value is applied/,
  );
});

test("invalid metrics are reported", () => {
  const fault = (spec: Partial<Spec>): string => faultOfReplicas(service(spec)) ?? "";
  assert.equal(fault({ maxReplicas: 3, autoScaling: { metrics: [running] } }), "");
  assert.equal(fault(measured({ target: { type: "AverageValue", averageValue: "2500m" } })), "");
  assert.match(fault({ minReplicas: 3, maxReplicas: 2 }), /maxReplicas 2 is less than spec.minReplicas 3/);
  assert.match(fault({ replicas: -1 }), /replicas -1 is negative/);
  assert.match(fault(measured({ metric: { backend: "opentelemetry" } })), /metrics\[0\].podmetric has no metric/);
  assert.match(fault(measured({ target: { type: "Utilization", averageUtilization: 80 } })), /has no target/);
  assert.match(
    fault(measured({ target: { type: "Value", value: "many" } })),
    /"many", which is not a positive quantity/,
  );
  assert.match(fault(measured({ target: { type: "Value", value: "0" } })), /not a positive quantity/);
  assert.match(fault({ autoScaling: { metrics: [{ type: "PodMetric" }] } }), /has no metric/);
});

const nobody: ObservedScaling = { keda: known(false), collector: known(false), autoscaler: { is: "absent" } };
const plan = (spec: Partial<Spec>, scaling: ObservedScaling = nobody, kserve = false): Scaling =>
  lowerScaling({
    service: service(spec),
    replicas: lowerReplicas(service(spec)),
    observed: { kserve: known(kserve), scaling },
    labels: { a: "b" },
    port: 8000,
    options: defaultOptions,
  });

describe("autoscaler", () => {
  const target = { apiVersion: "apps/v1", kind: "Deployment", name: "chat-predictor" };
  const bounds = { name: "chat-predictor", labels: { a: "b" }, target, min: 1, max: 3 };
  const keda: ObservedScaling = { ...nobody, keda: known(true) };

  test("none, KServe, or CPU utilization between bounds", () => {
    assert.deepEqual(plan({ replicas: 2 }), { is: "fixed" });
    assert.deepEqual(plan({ maxReplicas: 3 }, nobody, true), { is: "elsewhere" });
    const utilization = { type: "Utilization", averageUtilization: 80 };
    const metrics = [{ type: "Resource", resource: { name: "cpu", target: utilization } }];
    assert.deepEqual(plan({ maxReplicas: 3 }), { is: "hpa", plan: { ...bounds, metrics } });
  });

  test("KEDA, by the sum of the pods of this service", () => {
    const triggers = [
      {
        type: "external",
        metadata: {
          scalerAddress: "keda-otel-scaler.keda.svc:4317",
          metricQuery: 'sum(vllm:num_requests_running{namespace="team-a", deployment="chat-predictor"})',
          targetValue: "4",
        },
      },
    ];
    const spec = { maxReplicas: 3, autoScaling: { metrics: [running] } };
    assert.deepEqual(plan(spec, keda), { is: "keda", plan: { ...bounds, triggers } });
    const collected = plan(spec, { ...keda, collector: known(true) });
    assert.deepEqual(collected.is === "keda" && collected.collector, {
      name: "chat-predictor",
      labels: { a: "b" },
      port: 8000,
      marks: { namespace: "team-a", deployment: "chat-predictor" },
      metricNames: ["vllm:num_requests_running"],
      sendTo: "keda-otel-scaler.keda.svc:4317",
    });
  });

  test("settings of a metric are passed on", () => {
    const own = measured({
      metric: { query: 'avg(load{app="x"})', serverAddress: "otel.acme:4318", operationOverTime: "avg" },
      target: { type: "AverageValue", averageValue: "1500m" },
    });
    const scaling = plan(own, keda);
    assert.deepEqual(scaling.is === "keda" && scaling.plan.triggers.map(({ metadata }) => metadata), [
      {
        scalerAddress: "otel.acme:4318",
        metricQuery: 'avg(load{app="x"})',
        targetValue: "1.5",
        operationOverTime: "avg",
      },
    ]);
  });

  test("KEDA takes over when no other autoscaler exists, under a name that it can extend", () => {
    const spec = { maxReplicas: 3, autoScaling: { metrics: [running] } };
    assert.equal(plan(spec, { ...keda, hasFormer: true }).is, "switching");
    const named = (name: string) => scaledNameOf({ ...service({}), metadata: { name, namespace: "a" } });
    assert.equal(named("chat"), "chat-predictor");
    assert.match(named("a-service-with-a-name-that-is-just-short-enough-ok"), /^a-service-.*-[0-9a-f]{8}$/);
    for (const length of [1, 44, 45, 60, 63]) assert.ok(`keda-hpa-${named("x".repeat(length))}`.length <= 63);
  });

  test("without KEDA, Kubernetes scales by a metric, and a possibly missing adapter is reported", () => {
    const scaling = plan({ maxReplicas: 3, autoScaling: { metrics: [running] } });
    const pods = {
      metric: { name: "vllm:num_requests_running" },
      target: { type: "AverageValue", averageValue: "4" },
    };
    assert.ok(scaling.is === "hpa");
    assert.deepEqual(scaling.plan, { ...bounds, metrics: [{ type: "Pods", pods }] });
    assert.match(scaling.mayLack ?? "", /^Neither KServe nor KEDA is installed, so Kubernetes needs an adapter/);
  });

  test("without KEDA, expressions are not supported", () => {
    const scaling = plan(measured({ metric: { query: 'avg(load{app="x"})' } }));
    assert.match(scaling.is === "unavailable" ? scaling.why : "", /so scaling by "avg\(load/);
  });

  test("all requested metrics are collected", () => {
    const collectedOf = (...podmetrics: NonNullable<Metric["podmetric"]>["metric"][]) => {
      const metrics = podmetrics.map((metric) => ({ ...running, podmetric: { ...running.podmetric, metric } }));
      const scaling = plan({ autoScaling: { metrics } }, { ...keda, collector: known(true) });
      return scaling.is === "keda" ? scaling.collector?.metricNames : undefined;
    };
    assert.deepEqual(collectedOf({ query: "b" }, { query: "avg(a)", metricNames: ["a"] }), ["a", "b"]);
    assert.deepEqual(collectedOf({ query: "b" }, { query: "avg(a)" }), []);
  });
});

test("the status of an autoscaler becomes one reason", () => {
  const word = (scaling: Scaling, observed: Partial<ObservedScaling>): string => {
    const { status = "", reason = "none" } = judgeScaling(scaling, { ...nobody, ...observed }) ?? {};
    return `${reason} ${status}`.trim();
  };
  const kserve: Scaling = { is: "elsewhere" };
  const reported = (
    scales: ObservedAutoscaler["scales"],
    measures: ObservedAutoscaler["measures"],
  ): Partial<ObservedScaling> => ({
    autoscaler: known({ name: "hpa", current: 1, desired: 1, scales, measures }),
  });
  const bad = (reason: string) => ({ reason, message: "because" });
  assert.equal(word({ is: "fixed" }, {}), "none");
  assert.equal(word({ is: "unavailable", why: "x" }, {}), "AutoscalingUnavailable False");
  assert.equal(word(kserve, {}), "HPANotFound False");
  assert.equal(word(kserve, { problem: "no such scaler" }), "MetricsFailed False");
  assert.equal(word(kserve, reported("unknown", "unknown")), "WaitingForMetrics False");
  assert.equal(word(kserve, reported("well", "well")), "HPAOperational True");
  assert.equal(word(kserve, reported(bad("FailedGetScale"), "well")), "ScaleTargetNotReady False");
  assert.equal(word(kserve, reported("well", bad("ScalingDisabled"))), "ScaleTargetNotReady False");
  assert.equal(word(kserve, reported("well", bad("FailedGetExternalMetric"))), "MetricsFailed False");
  const early = { reason: "FailedGetResourceMetric", message: "did not receive metrics for targeted pods" };
  assert.equal(word(kserve, reported("well", early)), "WaitingForMetrics False");
  const uncollected = plan({ autoScaling: { metrics: [running] } }, { ...nobody, keda: known(true) });
  const { message } =
    judgeScaling(uncollected, { ...nobody, ...reported("well", bad("FailedGetExternalMetric")) }) ?? {};
  assert.match(message ?? "", /because. The OpenTelemetry operator is not installed/);
});
