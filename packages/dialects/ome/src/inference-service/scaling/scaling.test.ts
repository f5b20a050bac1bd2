import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ComponentSpec } from "../roles/component.ts";
import { boundsOf } from "../roles/replicas.ts";
import { autoscalerClassOf } from "./autoscaler-class.ts";
import { kedaSettingsOf } from "./keda-settings.ts";
import { defaultQuery, fillQuery, type Measured } from "./load-query.ts";
import { planScaling, type ScalingInput } from "./plan-scaling.ts";

type Keda = NonNullable<InferenceService["spec"]["kedaConfig"]>;

const serviceOf = (annotations: Record<string, string> = {}, kedaConfig?: Keda): InferenceService => ({
  apiVersion: "ome.io/v1beta1",
  kind: "InferenceService",
  metadata: { name: "chat", namespace: "team", annotations },
  spec: kedaConfig === undefined ? {} : { kedaConfig },
});
const measured = (image: string, over: Partial<Measured> = {}): Measured => ({
  service: { name: "chat", namespace: "team" },
  component: "engine",
  entry: "chat-engine",
  object: "chat-engine",
  main: { name: "ome-container", image },
  ...over,
});
const plan = (spec: ComponentSpec, over: Partial<ScalingInput> = {}) =>
  planScaling({
    service: serviceOf(),
    spec,
    bounds: boundsOf("engine", spec),
    target: { apiVersion: "apps/v1", kind: "Deployment", name: "chat-engine" },
    labels: {},
    measured: measured("vllm/vllm-openai"),
    hasKeda: true,
    hasGateway: true,
    hasLeftover: false,
    ...over,
  });

describe("which autoscaler", () => {
  const classOf = (spec: ComponentSpec, service = serviceOf()) => {
    const request = autoscalerClassOf(service, spec);
    return request.is === "requested" ? request.class : `? ${request.word}`;
  };
  const key = "ome.io/autoscalerClass";
  test("the annotation of the component, of the service, enableKeda, the metric", () => {
    assert.equal(classOf({}), "hpa");
    assert.equal(classOf({}, serviceOf({ [key]: "external" })), "external");
    assert.equal(classOf({ annotations: { [key]: "keda" } }, serviceOf({ [key]: "hpa" })), "keda");
    assert.equal(classOf({ kedaConfig: { enableKeda: true } }, serviceOf({ [key]: "hpa" })), "hpa");
    assert.equal(classOf({}, serviceOf({}, { enableKeda: true })), "keda");
    assert.equal(classOf({ kedaConfig: { enableKeda: false } }, serviceOf({}, { enableKeda: true })), "hpa");
    assert.equal(classOf({ scaleMetric: "rps" }), "keda");
    assert.equal(classOf({ scaleMetric: "memory" }), "hpa");
    assert.equal(classOf({ annotations: { [key]: "" } }), "hpa");
    assert.equal(classOf({ annotations: { [key]: "constructor" } }), "? constructor");
  });
});

describe("the defaults autoscaler", () => {
  const goal = (spec: ComponentSpec, annotations = {}) => {
    const found = plan(spec, { service: serviceOf(annotations) });
    assert.equal(found.is, "hpa");
    const { min, max, metrics } = (found as Extract<typeof found, { is: "hpa" }>).plan;
    const { name, target } = metrics[0]?.resource ?? {};
    return [min, max, name, target?.averageUtilization];
  };
  test("C9: bounds, metric and target", () => {
    const key = "ome.io/targetUtilizationPercentage";
    assert.deepEqual(goal({}), [1, 3, "cpu", 80]);
    assert.deepEqual(goal({ minReplicas: 0, maxReplicas: 0 }), [1, 1, "cpu", 80]);
    assert.deepEqual(goal({ minReplicas: 5, maxReplicas: 2, scaleMetric: "memory", scaleTarget: 60 }), [
      5,
      5,
      "memory",
      60,
    ]);
    assert.deepEqual(goal({ scaleTarget: 60 }, { [key]: "35" }), [1, 3, "cpu", 35]);
    assert.deepEqual(goal({ scaleTarget: 60 }, { [key]: "much" }), [1, 3, "cpu", 60]);
  });
});

describe("KEDA", () => {
  const triggers = (spec: ComponentSpec, over: Partial<ScalingInput> = {}) => {
    const found = plan({ kedaConfig: { enableKeda: true }, ...spec }, over);
    assert.equal(found.is, "keda");
    return (found as Extract<typeof found, { is: "keda" }>).plan;
  };
  test("settings: component over service over installation, and annotations over all; empty texts say nothing", () => {
    const service = serviceOf({ "autoscaling.keda.sh/operator": "" }, { scalingThreshold: "2", customPromQuery: "s" });
    const defaults = { promServerAddress: "http://u", customPromQuery: "u", scalingThreshold: "3" };
    assert.deepEqual(
      kedaSettingsOf(service, { kedaConfig: { scalingThreshold: "1", customPromQuery: "" } }, defaults),
      {
        promServerAddress: "http://u",
        customPromQuery: "s",
        scalingThreshold: "1",
      },
    );
  });
  test("what is asked depends on who serves", () => {
    const where = '{namespace="team",ome_io_inferenceservice="chat",component="engine"}';
    const query = (image: string, over?: Partial<Measured>) => defaultQuery(measured(image, over), undefined);
    assert.equal(query("vllm/vllm-openai:v0.9"), `sum(vllm:num_requests_waiting${where})`);
    assert.equal(query("lmsysorg/sglang"), `sum(sglang:num_queue_reqs${where})`);
    assert.equal(query("ghcr.io/ggml-org/llama.cpp:server"), `sum(llamacpp:requests_deferred${where})`);
    assert.equal(query("ghcr.io/huggingface/text-generation-inference"), `sum(tgi_queue_size${where})`);
    const main = { name: "x", image: "mine", command: ["bash", "-c", "vllm serve /m"] };
    assert.equal(query("", { main }), `sum(vllm:num_requests_waiting${where})`);
    const gateway = 'sum(trivium_gateway_in_flight{model=~"team/(chat|chat-engine)"})';
    assert.equal(query("somebody/else"), gateway);
    assert.equal(query("lmsysorg/sglang", { component: "router" }), gateway);
  });
  test("an own question is left alone but for its placeholders", () => {
    const fill = (text: string) => fillQuery(text, measured("x"));
    assert.equal(fill('up{a="{{.Name}}",b="{{ .Namespace }}",c="{{.Component}}"}'), 'up{a="chat",b="team",c="engine"}');
    assert.equal(fill('up{pod=~"%s.*"} % 7'), 'up{pod=~"chat-engine.*"} % 7');
    assert.equal(fill("up{a=~'{{.Secret}}'}"), "up{a=~'{{.Secret}}'}");
    assert.equal(fill("sum(up) > 50%!"), "sum(up) > 50%!");
  });
  test("C10: bounds, and a login only where one is named", () => {
    const { min, max, triggers: made } = triggers({ minReplicas: 4, maxReplicas: 2 });
    assert.deepEqual([min, max, made.length], [4, 4, 1]);
    const modes = triggers({ kedaConfig: { enableKeda: true, authModes: "basic" } }).triggers[0];
    assert.equal(modes?.metadata.authModes, undefined);
    const login = { name: "prometheus" } as { name: string; kind: "TriggerAuthentication" };
    const logged = triggers({ kedaConfig: { enableKeda: true, authModes: "basic", authenticationRef: login } });
    assert.deepEqual(logged.triggers[0]?.authentication, { kind: "TriggerAuthentication", name: "prometheus" });
    assert.equal(logged.triggers[0]?.metadata.authModes, "basic");
  });
  test("who sleeps is woken by what the gateway holds, once", () => {
    const asleep = triggers({ minReplicas: 0 });
    assert.deepEqual([asleep.min, asleep.triggers.length], [0, 2]);
    assert.deepEqual(
      asleep.triggers.map(({ metadata }) => metadata.activationThreshold),
      ["0", "0"],
    );
    assert.equal(triggers({ minReplicas: 0, scaleMetric: "concurrency" }).triggers.length, 1);
    const own = { enableKeda: true, customPromQuery: "up" };
    assert.equal(triggers({ minReplicas: 0, kedaConfig: own }).triggers.length, 1);
  });
  test("its name leaves room for the autoscaler that KEDA makes of it", () => {
    const object = `${"long-".repeat(12)}engine`;
    const { name } = triggers({}, { measured: measured("vllm", { object }) });
    assert.ok(`keda-hpa-${name}`.length <= 63, name);
  });
  test("thresholds are numbers above 0", () => {
    const threshold = (scalingThreshold: string) => plan({ kedaConfig: { enableKeda: true, scalingThreshold } }).is;
    assert.equal(threshold("0.5"), "keda");
    for (const text of ["0", "-1", "ten", "NaN"]) assert.equal(threshold(text), "faulty", text);
    assert.equal(triggers({ scaleMetric: "rps", scaleTarget: 7 }).triggers[0]?.metadata.threshold, "7");
    assert.equal(triggers({ scaleTarget: 7 }).triggers[0]?.metadata.threshold, "10");
  });
  test("without KEDA nobody scales, and why is said", () => {
    const found = plan({ kedaConfig: { enableKeda: true } }, { hasKeda: false });
    assert.ok(found.is === "unavailable" && /KEDA is not installed/.test(found.why));
    assert.equal(found.kept?.name, "scaledobject-chat-engine");
    assert.deepEqual(plan({ annotations: { "ome.io/autoscalerClass": "external" } }), { is: "fixed" });
  });
});

describe("what only the gateway counts", () => {
  const without = (spec: ComponentSpec, over: Partial<ScalingInput> = {}) => {
    const found = plan(spec, { hasGateway: false, ...over });
    return found.is === "unavailable" ? found.why : found.is;
  };
  const missing =
    "by the Trivium gateway, which is not installed (no accepted GatewayClass of trivium.dev/gateway); install it, or set kedaConfig.customPromQuery";
  test("is said to be missing where the gateway is", () => {
    for (const scaleMetric of ["rps", "concurrency"] as const) {
      assert.equal(without({ scaleMetric }), `engine is not scaled: metric ${scaleMetric} is counted ${missing}`);
      assert.equal(plan({ scaleMetric }).is, "keda");
    }
    const keda = { kedaConfig: { enableKeda: true } };
    const odd = { measured: measured("acme/server") };
    assert.equal(
      without(keda, odd),
      `engine is not scaled: the server does not report its load, so requests are counted ${missing}`,
    );
    assert.equal(
      without({ ...keda, minReplicas: 0 }),
      `engine is not scaled: requests that scale it up from zero are counted ${missing}`,
    );
  });
  test("is not needed by those who ask the server, or ask themselves", () => {
    assert.equal(without({ kedaConfig: { enableKeda: true } }), "keda");
    assert.equal(without({ scaleMetric: "rps", kedaConfig: { customPromQuery: "sum(x)" } }), "keda");
  });
});
