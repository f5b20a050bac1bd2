import assert from "node:assert/strict";
import { test } from "node:test";
import { aimDefaults } from "@trivium/aim";
import { llmkubeDefaults } from "@trivium/llmkube";
import { omeDefaults } from "@trivium/ome";
import { Refusal } from "@trivium/std";
import manifest from "../../package.json" with { type: "json" };
import { parseOptions } from "./options.ts";

function optionsOf(...args: string[]) {
  const request = parseOptions(args);
  if (request.is !== "run") throw new Error("a text was asked for");
  const { identity, ...others } = request.options;
  return { ...others, hasIdentity: identity !== "" };
}

test("without options: all namespaces, a Lease, nothing open to others", () => {
  assert.deepEqual(optionsOf(), {
    dialects: ["aim", "ome", "llmkube"],
    metricsAccess: "anyone",
    listen: { host: "127.0.0.1", port: 9440 },
    leaderElection: true,
    leaseName: "trivium-operator",
    burst: 100,
    concurrency: 16,
    podSecurityLevel: "namespace",
    adopt: "safe",
    upstreamNamespaces: [],
    logLevel: "info",
    installCrds: false,
    printRbac: false,
    printWebhooks: false,
    remoteHosts: [],
    aim: aimDefaults,
    llmkube: llmkubeDefaults,
    ome: omeDefaults,
    dashboard: { hosts: [], isReadOnly: false },
    webhooks: {
      listen: "off",
      failurePolicy: "Fail",
      timeoutSeconds: 5,
      lifetime: 90 * 24 * 3600 * 1000,
      configuration: "trivium-operator",
    },
    hasIdentity: true,
  });
});

test("options are taken as they are given", () => {
  const given = optionsOf(
    "--namespace",
    "a",
    "--listen",
    "off",
    "--no-leader-election",
    "--qps",
    "7",
    "--install-crds",
  );
  assert.deepEqual(
    [given.namespace, given.listen, given.leaderElection, given.qps, given.installCrds],
    ["a", "off", false, 7, true],
  );
});

test("the APIs to run are chosen by name", () => {
  assert.deepEqual(optionsOf("--dialects", "llmkube,aim").dialects, ["aim", "llmkube"]);
  assert.throws(() => optionsOf("--dialects", "kserve"), {
    name: "Refusal",
    message: /"kserve" is not one of aim, aim-eai, ome, llmkube/,
  });
});

test("options of OME are those of its dialect, and the image for weights is the same for all", () => {
  const { ome } = optionsOf(
    ...["--ome-namespace", "models", "--ome-ingress", "gateway", "--ome-gateway", "edge/public"],
    ...["--ome-ingress-domain", "example.com", "--ome-url-scheme", "https", "--weights-image", "registry/weights:2"],
  );
  assert.deepEqual(ome, {
    ...omeDefaults,
    namespace: "models",
    images: { ...omeDefaults.images, weights: "registry/weights:2" },
    ingress: {
      ...omeDefaults.ingress,
      creation: "on",
      api: "gateway",
      gateway: "edge/public",
      domain: "example.com",
      scheme: "https",
    },
  });
});

test("one registry is the prefix of all images of our own", () => {
  const weightsOf = (...args: string[]) => {
    const { aim, ome, llmkube } = optionsOf(...args);
    return [...new Set([aim.weightsImage, ome.images.weights, llmkube.images.weights])];
  };
  const { version } = manifest;
  assert.deepEqual(weightsOf(), [`ghcr.io/trivium/trivium-weights:${version}`]);
  assert.deepEqual(weightsOf("--image-registry", "local:5000/ml/"), [`local:5000/ml/trivium-weights:${version}`]);
  assert.deepEqual(weightsOf("--image-registry", "a.b", "--weights-image", "c/d:1"), ["c/d:1"]);
  for (const wrong of ["", "https://a.b", "a b", "a/../b", "a//b", "a:x/b"]) {
    assert.throws(() => weightsOf("--image-registry", wrong), { name: "Refusal" }, wrong);
  }
});

test("options of AIM are those of its dialect", () => {
  const { aim } = optionsOf(
    ...["--operator-namespace", "ops", "--aim-runtime", "inline", "--aim-base-image", "acme/base:1"],
    ...["--aim-base-args", "--model {model}  --port {port}"],
    ...["--aim-cache-root", "/cache/", "--aim-discovery-jobs", "3", "--aim-metric-scaler", "scaler:4318"],
  );
  assert.deepEqual(aim, {
    ...aimDefaults,
    operatorNamespace: "ops",
    runtimeMode: "inline",
    baseImage: "acme/base:1",
    baseArguments: ["--model", "{model}", "--port", "{port}"],
    cacheRoot: "/cache",
    discovery: { ...aimDefaults.discovery, maxJobs: 3 },
    metricScaler: "scaler:4318",
  });
});

test("webhooks are found by an address or by a Service", () => {
  const placeOf = (text: string) => optionsOf("--webhook-listen", ":9443", "--webhook-at", text).webhooks;
  assert.deepEqual(placeOf("https://127.0.0.1:9443").place, { is: "url", url: "https://127.0.0.1:9443" });
  assert.deepEqual(placeOf("ops/hooks:8443").place, { is: "service", namespace: "ops", name: "hooks", port: 8443 });
  assert.deepEqual(placeOf("ops/hooks").listen, { host: "::", port: 9443 });
});

test("options of LLMKube have the names that its own operator gives them", () => {
  const { llmkube, remoteHosts } = optionsOf(
    ...["--model-cache-mode", "perService", "--model-cache-size", "5Gi", "--model-cache-storage-class", "fast"],
    ...["--allowed-host-path-roots", "/mnt/models, /data", "--allowed-remote-hosts", "mirror.internal,10.0.0.0/8"],
    ...["--runtime-images", "vllm=registry/vllm:1,llamacpp=registry/llama@sha256:a=b", "--default-fsgroup", "0"],
    ...["--dri-render-gid", "109", "--emit-scrape-annotations", "--ca-cert-configmap", "company"],
    ...["--intel-gpu-resource", "gpu.intel.com/xe"],
  );
  assert.deepEqual(remoteHosts, ["mirror.internal", "10.0.0.0/8"]);
  assert.deepEqual(llmkube, {
    ...llmkubeDefaults,
    localRoots: ["/mnt/models", "/data"],
    cache: { ...llmkubeDefaults.cache, mode: "perService", size: "5Gi", storageClass: "fast" },
    images: {
      ...llmkubeDefaults.images,
      runtimes: { vllm: "registry/vllm:1", llamacpp: "registry/llama@sha256:a=b" },
    },
    fsGroup: undefined,
    renderGroup: 109,
    gpuResources: { ...llmkubeDefaults.gpuResources, intel: "gpu.intel.com/xe" },
    scraping: "annotated",
    certificates: "company",
  });
  assert.equal(optionsOf("--model-cache-path", "").llmkube.cache.mode, "none");
});

test("help and version are texts to read", () => {
  const help = parseOptions(["--help"]);
  assert.match(help.is === "read" ? help.text : "", /^Usage: trivium-operator \[options\]\n[\s\S]*--print-rbac/);
  assert.deepEqual(parseOptions(["--version"]), { is: "read", text: "0.1.0\n" });
});

for (const [args, complaint] of [
  [["--kubeconfg", "x"], /^unknown option '--kubeconfg'/],
  [["run"], /^too many arguments/],
  [["--listen", "loopback"], /'loopback' is invalid\. Expected host:port/],
  [["--qps", "0"], /'0' is invalid\. Expected a whole number/],
  [["--concurrency", "1e3"], /'1e3' is invalid/],
  [["--burst", "-1"], /'-1' is invalid/],
  [["--pod-security-level", "strict"], /Allowed choices are namespace, privileged, baseline, restricted/],
  [["--log-level", "loud"], /Allowed choices are debug/],
  [["--context"], /argument missing/],
  [["--model-cache-size", "much"], /Expected a quantity/],
  [["--model-cache-path", "/weights"], /Allowed choices are \/models/],
  [["--allowed-host-path-roots", "/mnt,models"], /models is not an absolute path/],
  [["--allowed-host-path-roots", "/"], /is not an absolute path below \//],
  [["--allowed-remote-hosts", "10.0.0.0/40"], /not a valid host, address or network/],
  [["--runtime-images", "vllm"], /Expected name=value/],
  [["--default-fsgroup", "-1"], /Expected a whole number/],
  [["--amd-gpu-resource", "gpu"], /Expected domain\/name/],
  [["--aim-cache-root", "cache"], /Expected an absolute path/],
  [["--aim-discovery-jobs", "0"], /Expected a whole number/],
  [["--aim-metric-receiver", "http://x"], /Expected host:port/],
  [["--ome-namespace", "Ome"], /Expected the name of a namespace/],
  [["--ome-models-root", "/a/../.."], /Expected an absolute path/],
  [["--ome-gateway", "public"], /Expected namespace\/name/],
  [["--webhook-at", "http://x"], /Expected https:\/\/host:port/],
  [["--webhook-timeout", "31"], /from 1 to 30/],
] as const) {
  test(`refused: ${args.join(" ")}`, () => {
    assert.throws(
      () => parseOptions(args),
      (error: unknown) => error instanceof Refusal && complaint.test(error.message) && !error.message.includes("\n"),
    );
  });
}
