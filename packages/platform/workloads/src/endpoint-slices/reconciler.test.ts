import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EndpointSlice, Pod, Service } from "@trivium/kube";
import { violationsOf } from "@trivium/testkit";
import { endpointSliceReconciler, type ObservedEndpointSlices } from "./reconciler.ts";

const service = (spec: Partial<Service["spec"]> = {}, labels?: Record<string, string>): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default", uid: "s", ...(labels === undefined ? {} : { labels }) },
  spec: {
    selector: { app: "web" },
    clusterIP: "10.96.0.9",
    ipFamilies: ["IPv4"],
    ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }],
    ...spec,
  },
  status: { loadBalancer: {} },
});

const pod = (
  name: string,
  more: { ready?: boolean; leaving?: boolean; metadata?: object; spec?: Partial<Pod["spec"]> } = {},
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "default",
    uid: `uid-${name}`,
    ...(more.leaving ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    ...more.metadata,
  },
  spec: { nodeName: "n", containers: [{ name: "c", ports: [{ name: "http", containerPort: 9090 }] }], ...more.spec },
  status: {
    phase: "Running",
    podIPs: [{ ip: `127.77.0.${name.length}` }],
    conditions: [{ type: "Ready", status: more.ready === false ? "False" : "True" }],
  },
});

const see = (pods: readonly Pod[], slices: readonly EndpointSlice[] = []): ObservedEndpointSlices => ({
  pods,
  zones: { n: "z1" },
  slices,
});

function slicesOf(object: Service, observed: ObservedEndpointSlices): EndpointSlice[] {
  const decision = endpointSliceReconciler.decide(object, observed, 0);
  assert.equal(decision.do, "converge");
  return decision.do === "converge" ? decision.children.map(({ object: child }) => child as EndpointSlice) : [];
}

test("a slice as the real controller writes it", () => {
  const [slice, ...more] = slicesOf(service({}, { team: "a", "service.kubernetes.io/headless": "x" }), see([pod("a")]));
  assert.deepEqual(more, []);
  const { name, ...metadata } = slice?.metadata ?? {};
  assert.match(name ?? "", /^web-[a-z0-9]{5}$/);
  assert.deepEqual(
    { ...slice, metadata },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        labels: {
          team: "a",
          "kubernetes.io/service-name": "web",
          "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        },
      },
      addressType: "IPv4",
      endpoints: [
        {
          addresses: ["127.77.0.1"],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: "n",
          targetRef: { kind: "Pod", namespace: "default", name: "a", uid: "uid-a" },
          zone: "z1",
        },
      ],
      ports: [{ name: "", protocol: "TCP", port: 8080 }],
    },
  );
});

describe("conditions of an endpoint", () => {
  const conditions = (one: Pod, spec: Partial<Service["spec"]> = {}) =>
    slicesOf(service(spec), see([one]))[0]?.endpoints?.[0]?.conditions;
  const cases: [string, Pod, Partial<Service["spec"]>, string][] = [
    ["not ready", pod("a", { ready: false }), {}, "ready false, serving false, terminating false"],
    ["leaving, still serving", pod("a", { leaving: true }), {}, "ready false, serving true, terminating true"],
    [
      "published although not ready",
      pod("a", { ready: false }),
      { publishNotReadyAddresses: true },
      "ready true, serving false, terminating false",
    ],
  ];
  for (const [name, one, spec, want] of cases) {
    test(name, () => {
      const found = conditions(one, spec);
      assert.equal(`ready ${found?.ready}, serving ${found?.serving}, terminating ${found?.terminating}`, want);
    });
  }
});

test("ports by name, ports that are really elsewhere, and pods that differ in them", () => {
  const ports = [
    { name: "web", port: 80, targetPort: "http" },
    { name: "other", port: 81, targetPort: "nowhere" },
  ];
  const moved = pod("bb", { metadata: { annotations: { "trivium.dev/ports": '{"9090":41234}' } } });
  const broken = pod("ccc", { metadata: { annotations: { "trivium.dev/ports": "{" } } });
  const slices = slicesOf(service({ ports }), see([pod("a"), moved, broken]));
  assert.deepEqual(
    slices.map((slice) => [
      slice.ports?.map(({ name, port }) => `${name} ${port}`),
      slice.endpoints?.map(({ targetRef }) => targetRef?.name),
    ]),
    [
      [["web 9090"], ["a", "ccc"]],
      [["web 41234"], ["bb"]],
    ],
  );
});

test("headless, without pods, without selector, on a node that is gone", () => {
  const [empty] = slicesOf(service({ clusterIP: "None" }), see([]));
  assert.equal(empty?.metadata.labels?.["service.kubernetes.io/headless"], "");
  assert.deepEqual([empty?.endpoints, empty?.ports], [[], []]);
  const gone = { ...see([pod("a")]), zones: {} };
  assert.deepEqual(slicesOf(service(), gone)[0]?.endpoints, []);
  assert.equal(slicesOf(service({ publishNotReadyAddresses: true }), gone)[0]?.endpoints?.length, 1);
  const { selector: _, ...spec } = service().spec ?? {};
  assert.equal(endpointSliceReconciler.decide({ ...service(), spec }, see([]), 0).do, "hold");
});

test("a hundred a slice; who is in one stays there, and the next one takes the free place", () => {
  const pods = Array.from({ length: 250 }, (_, i) => pod(`p${String(i).padStart(3, "0")}`));
  const slices = slicesOf(service(), see(pods));
  assert.deepEqual(
    slices.map(({ endpoints }) => endpoints?.length),
    [100, 100, 50],
  );
  const without = pods.filter(({ metadata }) => metadata.name !== "p005");
  const next = slicesOf(service(), see([...without, pod("new")], slices));
  assert.deepEqual(
    new Set(next.map(({ metadata }) => metadata.name)),
    new Set(slices.map(({ metadata }) => metadata.name)),
  );
  const changed = next.filter((slice) => {
    const before = slices.find(({ metadata }) => metadata.name === slice.metadata.name);
    return JSON.stringify(before) !== JSON.stringify(slice);
  });
  assert.equal(changed.length, 1);
});

test("the laws", () => {
  const cases = [
    { name: "two pods", object: service(), observed: see([pod("a"), pod("bb", { ready: false })]), now: 0 },
    { name: "no pods", object: service(), observed: see([]), now: 0 },
  ];
  assert.deepEqual(violationsOf(endpointSliceReconciler, cases, { conditions: {} }), []);
});
