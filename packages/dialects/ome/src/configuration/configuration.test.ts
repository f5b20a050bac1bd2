import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readConfiguration } from "./index.ts";

test("what the chart of the original writes is understood", () => {
  const { faults, ...read } = readConfiguration({
    ingress: JSON.stringify({
      ingressGateway: "knative-serving/knative-ingress-gateway",
      ingressService: "istio-ingressgateway.istio-system.svc.cluster.local",
      ingressDomain: "example.com",
      ingressClassName: "nginx",
      additionalIngressDomains: null,
      domainTemplate: "{{ .Name }}-{{ .Namespace }}.{{ .IngressDomain }}",
      urlScheme: "https",
      disableIngressCreation: false,
      enableGatewayAPI: true,
      omeIngressGateway: "",
    }),
    deploy: '{"defaultDeploymentMode": "Serverless"}',
    metricsAggregator: '{"enableMetricAggregation": "false", "enablePrometheusScraping": "true"}',
    modelInit: '{"image": "agent:1", "memoryRequest": "150Gi", "extraEnvVars": [{"name": "A", "value": "b"}]}',
    kedaConfig: '{"enableKeda": true, "scalingThreshold": "10", "authenticationRef": {"name": "x"}}',
    multinodeProber: '{"image": "prober"}',
  });
  assert.deepEqual(faults, {});
  assert.deepEqual(read, {
    ingress: {
      creation: "on",
      api: "gateway",
      domain: "example.com",
      domainTemplate: "{{ .Name }}-{{ .Namespace }}.{{ .IngressDomain }}",
      scheme: "https",
      className: "nginx",
      istioGateway: "knative-serving/knative-ingress-gateway",
    },
    deploy: { defaultMode: "Serverless" },
    metrics: { aggregation: "false", scraping: "true" },
    modelInit: { image: "agent:1", memoryRequest: "150Gi", extraEnvVars: [{ name: "A", value: "b" }] },
    keda: { enableKeda: true, scalingThreshold: "10", authenticationRef: { name: "x", kind: "TriggerAuthentication" } },
  });
});

for (const [key, text, why] of [
  ["ingress", "{", /not valid JSON/],
  ["ingress", "[]", /must be a JSON object/],
  ["ingress", '{"urlScheme": "gopher"}', /urlScheme must be one of http, https/],
  ["ingress", '{"disableIngressCreation": "perhaps"}', /disableIngressCreation must be true or false/],
  ["ingress", '{"additionalIngressDomains": [1]}', /additionalIngressDomains must be a list of strings/],
  ["deploy", '{"defaultDeploymentMode": "Cloud"}', /defaultDeploymentMode must be one of RawDeployment, Serverless/],
  ["modelInit", "{}", /image must be an image reference/],
  ["servingSidecar", '{"image": 3}', /image must be a string/],
  ["fineTunedAdapter", '{"image": "x", "extraVolumeMounts": [{}]}', /extraVolumeMounts must be a list of objects/],
  ["kedaConfig", '{"authenticationRef": {}}', /authenticationRef must have a name/],
  ["metricsAggregator", '{"enableMetricAggregation": 1}', /enableMetricAggregation must be true or false/],
] as const) {
  test(`a fault in ${key} is named, and the other keys hold: ${text}`, () => {
    const { faults, ...read } = readConfiguration({ deploy: "{}", [key]: text });
    assert.deepEqual(Object.keys(faults), [key]);
    assert.match(faults[key] ?? "", why);
    assert.match(faults[key] ?? "", /^ConfigMap inferenceservice-config, key /);
    assert.deepEqual(read, key === "deploy" ? {} : { deploy: { defaultMode: "RawDeployment" } });
  });
}

test("whatever stands there, something is read", () => {
  const keys = fc.constantFrom("ingress", "deploy", "metricsAggregator", "modelInit", "kedaConfig", "__proto__", "x");
  const texts = fc.oneof(fc.string(), fc.json());
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, texts)), (entries) => {
      const { faults } = readConfiguration(Object.fromEntries(entries));
      assert.equal(typeof faults, "object");
    }),
    { numRuns: 200 },
  );
});
