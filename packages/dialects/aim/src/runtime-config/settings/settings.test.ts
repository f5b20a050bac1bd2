import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { absent, type Fact, known, pending } from "@trivium/std";
import type { RuntimeConfigSpec } from "../../objects.ts";
import { mergeEnv } from "./merge-env.ts";
import { mergeSettings, settingsOf } from "./merge-settings.ts";
import { faultOfPathTemplate } from "./path-template.ts";
import { matchesKey, propagateLabels } from "./propagate-labels.ts";
import { firstAccount, unionSecrets } from "./pull-secrets.ts";
import { type ObservedConfig, type ObservedRuntimeConfig, resolveRuntimeConfig } from "./resolve.ts";

const config = (uid: string, spec: RuntimeConfigSpec): Fact<ObservedConfig> => known({ uid, spec });
const observedOf = (
  namespaced: Fact<ObservedConfig>,
  cluster: Fact<ObservedConfig>,
  name = "default",
): ObservedRuntimeConfig => ({
  name,
  namespace: "team-a",
  namespaced,
  cluster,
});
const resolved = (observed: ObservedRuntimeConfig) => {
  const result = resolveRuntimeConfig(observed);
  if (result.is !== "resolved") throw new Error(`expected a config, found ${JSON.stringify(result)}`);
  return result;
};

describe("a runtime config", () => {
  test("of the namespace overrides the cluster's by key, also with false", () => {
    const cluster = config("c", {
      defaultStorageClassName: "slow",
      pvcHeadroomPercent: 30,
      routing: {
        enabled: true,
        gatewayRef: { name: "gw", namespace: "gateways", group: "gateway.networking.k8s.io", kind: "Gateway" },
        pathTemplate: "/cluster",
        requestTimeout: "5m",
        annotations: { a: "1", b: "1" },
      },
      labelPropagation: { enabled: true, match: ["org/*"] },
      model: { autoDiscovery: false, creationScope: "Cluster" },
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "1" },
      ],
      imagePullSecrets: [{ name: "shared" }, { name: "base" }],
    });
    const namespaced = config("n", {
      storage: { defaultStorageClassName: "fast" },
      pvcHeadroomPercent: 0,
      routing: { enabled: false, annotations: { b: "2" }, routeTemplate: "/old" },
      labelPropagation: { enabled: false },
      env: [{ name: "B", value: "2" }],
      imagePullSecrets: [{ name: "own" }, { name: "shared" }],
      serviceAccountName: "runner",
    });
    const { settings, reference } = resolved(observedOf(namespaced, cluster));
    assert.deepEqual(reference, {
      name: "default",
      namespace: "team-a",
      scope: "Merged",
      kind: "AIMRuntimeConfig",
      uid: "n",
    });
    assert.deepEqual(settings, {
      storageClassName: "fast",
      headroomPercent: 0,
      routing: {
        enabled: false,
        gatewayRef: { name: "gw", namespace: "gateways", group: "gateway.networking.k8s.io", kind: "Gateway" },
        pathTemplate: "/old",
        requestTimeout: "5m",
        annotations: { a: "1", b: "2" },
      },
      labelPropagation: { enabled: false },
      model: { autoDiscovery: false, creationScope: "Cluster" },
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
      serviceAccountName: "runner",
      imagePullSecrets: [{ name: "own" }, { name: "shared" }, { name: "base" }],
    });
  });

  test("reports where it was found", () => {
    assert.equal(resolved(observedOf(config("n", {}), absent)).reference?.scope, "Namespace");
    assert.deepEqual(resolved(observedOf(absent, config("c", {}))).reference, {
      name: "default",
      scope: "Cluster",
      kind: "AIMClusterRuntimeConfig",
      uid: "c",
    });
  });

  test("that is missing is allowed if it is the default one, and an error otherwise", () => {
    assert.equal(resolved(observedOf(absent, absent)).reference, undefined);
    const missing = resolveRuntimeConfig(observedOf(absent, absent, "special"));
    assert.equal(missing.is, "missing");
    assert.match(missing.is === "missing" ? missing.message : "", /team-a\/special/);
    assert.equal(resolveRuntimeConfig(observedOf(pending, absent, "special")).is, "unknown");
    assert.equal(resolveRuntimeConfig(observedOf(config("n", {}), pending)).is, "unknown");
  });
});

test("storage: each setting of the namespace overrides separately, under either name", () => {
  const cluster = settingsOf({
    defaultStorageClassName: "slow",
    pvcHeadroomPercent: 30,
    storage: { accessModes: ["ReadWriteOnce"], maxCacheBytes: "2Ti" },
  });
  const own = settingsOf({ storage: { pvcHeadroomPercent: 0, maxCacheBytes: 1_000_000 } });
  const { storageClassName, headroomPercent, accessMode, maxCacheBytes } = mergeSettings(cluster, own);
  assert.deepEqual(
    [storageClassName, headroomPercent, accessMode, maxCacheBytes],
    ["slow", 0, "ReadWriteOnce", "1000000"],
  );
});

test("variables: the higher level takes precedence, engine arguments are merged, references come first", () => {
  const args = (value: unknown) => [{ name: "AIM_ENGINE_ARGS", value: JSON.stringify(value) }];
  const merged = mergeEnv(
    [{ name: "A", value: "1" }],
    args({ "max-model-len": 4096, "kv-transfer-config": { role: "both", list: [1, 2] } }),
    undefined,
    [{ name: "A", value: "2" }],
    args({ "max-model-len": 8192, "kv-transfer-config": { list: [3] } }),
  );
  assert.deepEqual(merged, [
    { name: "A", value: "2" },
    {
      name: "AIM_ENGINE_ARGS",
      value: '{"max-model-len":8192,"kv-transfer-config":{"role":"both","list":[3]}}',
    },
  ]);
});

test("engine arguments that are not an object, or come from a Secret, replace the lower ones completely", () => {
  const name = "AIM_ENGINE_ARGS";
  const lower = [{ name, value: '{"a":1}' }];
  for (const value of ["[1]", "nonsense", '"x"', "", '{"a":'])
    assert.deepEqual(mergeEnv(lower, [{ name, value }]), [{ name, value }]);
  const valueFrom = { secretKeyRef: { name: "s", key: "k" } };
  assert.deepEqual(mergeEnv(lower, [{ name, valueFrom }]), [{ name, valueFrom }]);
  assert.deepEqual(mergeEnv([{ name, valueFrom }], lower), lower);
  const hostile = '{"__proto__":{"polluted":1}}';
  assert.deepEqual(mergeEnv(lower, [{ name, value: hostile }])[0]?.value, '{"a":1,"__proto__":{"polluted":1}}');
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

test("a variable follows those that it refers to; cycles and escapes are safe", () => {
  const names = (...pairs: [string, string][]) =>
    mergeEnv(pairs.map(([name, value]) => ({ name, value }))).map(({ name }) => name);
  assert.deepEqual(names(["A_URL", "http://$(Z_HOST)/$(M)"], ["Z_HOST", "h"], ["M", "m"]), ["M", "Z_HOST", "A_URL"]);
  assert.deepEqual(names(["A", "$(B)"], ["B", "$(A)"]), ["B", "A"]);
  assert.deepEqual(names(["A", "$$(B)"], ["B", "b"]), ["A", "B"]);
});

test("labels are propagated by pattern and never override those of the child", () => {
  const settings = (match: string[], enabled = true) => ({
    routing: {},
    model: {},
    env: [],
    imagePullSecrets: [],
    labelPropagation: { enabled, match },
  });
  const parent = { "org.acme/cost": "42", "org.acme/team": "x", app: "chat", "other/org.acme": "no" };
  assert.deepEqual(propagateLabels(settings(["org.acme/*", "a?p"]), parent, { "org.acme/team": "mine" }), {
    "org.acme/cost": "42",
    "org.acme/team": "mine",
    app: "chat",
  });
  assert.deepEqual(propagateLabels(settings(["*"], false), parent), {});
  assert.deepEqual(propagateLabels(settings(["*"]), parent), { app: "chat" });
});

test("patterns of label keys", () => {
  const table: [string, string, boolean][] = [
    ["*", "app", true],
    ["*", "a/b", false],
    ["*/*", "a/b", true],
    ["a*c*e", "abcde", true],
    ["a*c*e", "abcdf", false],
    ["?", "/", false],
    ["[a]", "a", false],
    ["", "", true],
    ["", "a", false],
    ["a**", "a", true],
    [`${"*a".repeat(200)}b`, "a".repeat(253), false],
  ];
  for (const [pattern, key, matches] of table) assert.equal(matchesKey(pattern, key), matches, `${pattern} on ${key}`);
});

test("secrets are listed once, in order of precedence; the first service account is used", () => {
  assert.deepEqual(unionSecrets([{ name: "b" }, { name: "a" }], undefined, [{ name: "a" }, { name: "c" }]), [
    { name: "b" },
    { name: "a" },
    { name: "c" },
  ]);
  assert.equal(firstAccount(undefined, "", "model", "config"), "model");
});

test("path templates with unmatched braces are found", () => {
  for (const good of ["/a/{.metadata.name}", "/x", "{.a}{.b}"]) assert.equal(faultOfPathTemplate(good), undefined);
  for (const bad of ["", "  ", "/{", "/}", "/{{.a}}", "/{}", "x".repeat(2001)])
    assert.notEqual(faultOfPathTemplate(bad), undefined, bad.slice(0, 10));
});
