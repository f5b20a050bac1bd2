import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { emitServing, keepObject } from "@trivium/emitters";
import type { HTTPRoute, Ingress, Service, VirtualService } from "@trivium/kube";
import { known } from "@trivium/std";
import { readConfiguration } from "../../configuration/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { defaultOptions } from "../../options.ts";
import type { EntryComponent, EntryComponents } from "./component.ts";
import { keptRoutes, planEntry, planEntryObjects, stateOfEntry, timeoutWarnings } from "./index.ts";
import type { ObservedEntry } from "./observe.ts";

type Texts = Record<string, string>;

const service = (annotations: Texts = {}, labels: Texts = {}): InferenceService =>
  ({
    apiVersion: "ome.io/v1beta1",
    kind: "InferenceService",
    metadata: { name: "chat", namespace: "team", uid: "u", annotations, labels },
    spec: {},
  }) as InferenceService;

const component = (name: EntryComponent["name"], extra: Partial<EntryComponent> = {}): EntryComponent => ({
  name,
  mode: "RawDeployment",
  address: {
    name: `chat-${name}`,
    labels: {},
    selector: { app: `chat-${name}` },
    type: "ClusterIP",
    ports: [{ name: "http", port: 9000, target: 9000 }],
  },
  ...extra,
});
const engineOnly: EntryComponents = { components: [component("engine")], entry: component("engine") };
const routed: EntryComponents = {
  components: [component("engine"), component("decoder"), component("router")],
  entry: component("router"),
};
const knative: EntryComponents = {
  components: [component("engine", { mode: "Serverless" })],
  entry: component("engine", { mode: "Serverless", url: "http://chat-engine.team.knative.example" }),
};

interface Given {
  readonly ingress?: object | string;
  readonly annotations?: Texts;
  readonly labels?: Texts;
  readonly parts?: EntryComponents;
  readonly observed?: ObservedEntry;
  readonly areComponentsReady?: boolean;
}

/** Everything that comes of a service, its settings, and what is seen. */
function enter({ ingress, annotations, labels, parts = engineOnly, observed, areComponentsReady = true }: Given) {
  const text = typeof ingress === "string" ? ingress : JSON.stringify(ingress ?? {});
  const own = service(annotations, labels);
  const reader: ObservedEntry = { gatewayApi: known(true), istio: known(true), routes: [], ...observed };
  const configuration = readConfiguration({ ingress: text });
  const plan = planEntry({ service: own, parts, observed: reader, configuration, options: defaultOptions });
  const objects = planEntryObjects(own, { parts, plan, models: ["chat", "m"] });
  const kept = keptRoutes(plan, reader).map(({ kind, name }) => keepObject(kind, { name }));
  const children = [...emitServing({ claims: [], roles: [], ...objects }), ...kept];
  const state = stateOfEntry(own, { parts, plan, observed: reader, areComponentsReady });
  const of = <T>(kind: string) => children.filter((one) => one.kind.kind === kind).map(({ object }) => object as T);
  return {
    plan,
    children,
    state,
    of,
    names: children.map(({ kind, object }) => `${kind.kind}/${object.metadata.name}`),
  };
}
const toService = { group: "", kind: "Service" };
const on = { disableIngressCreation: false };
const gateway = { ...on, enableGatewayAPI: true, omeIngressGateway: "edge/public", ingressDomain: "example.com" };
const byIngress = { ...on, ingressDomain: "example.com", ingressClassName: "nginx" };

describe("C6, C7, C8: the Service of the same name", () => {
  test("is the way in where there is no other, as public as its annotations want", () => {
    const { names, state, of } = enter({
      parts: routed,
      annotations: {
        "ome.io/service-type": "LoadBalancer",
        "ome.io/load-balancer-ip": "10.0.0.7",
        "service.beta.kubernetes.io/x": "y",
        other: "z",
      },
    });
    assert.deepEqual(names, ["Service/chat"]);
    const [only] = of<Service>("Service");
    assert.deepEqual(only?.spec, {
      type: "LoadBalancer",
      loadBalancerIP: "10.0.0.7",
      selector: { "ome.io/inferenceservice": "chat", component: "router" },
      ports: [{ name: "http", port: 9000, targetPort: 9000, protocol: "TCP" }],
    });
    assert.deepEqual(only?.metadata.annotations, {
      "service.beta.kubernetes.io/x": "y",
      "trivium.dev/models": "chat,m",
    });
    const url = "http://chat.team.svc.cluster.local:9000";
    assert.deepEqual([state.status, state.reason, state.url, state.address], ["True", "IngressDisabled", url, url]);
  });
  test("stays for the cluster where a route leads in, or a label keeps the service private", () => {
    const annotations = { "ome.io/service-type": "LoadBalancer", "cloud.google.com/x": "y" };
    for (const given of [
      { ingress: byIngress },
      { ingress: on, labels: { "networking.knative.dev/visibility": "cluster-local" } },
    ]) {
      const [only] = enter({ ...given, annotations }).of<Service>("Service");
      assert.equal(only?.spec?.type, "ClusterIP");
      assert.deepEqual(only?.metadata.annotations, { "trivium.dev/models": "chat,m" });
    }
  });
  test("of several nodes finds the leader, and while a candidate is tried out the proven pods", () => {
    const selector = { app: "chat-engine", "leaderworkerset.sigs.k8s.io/worker-index": "0" };
    const group = component("engine", { mode: "MultiNode", address: { ...component("engine").address, selector } });
    const [leader] = enter({ parts: { components: [group], entry: group } }).of<Service>("Service");
    assert.deepEqual(leader?.spec?.selector, {
      "leaderworkerset.sigs.k8s.io/worker-index": "0",
      "ome.io/inferenceservice": "chat",
      component: "engine",
    });
    const split = component("engine", { backends: [{ name: "a", port: 1, weight: 1 }] });
    const [proven] = enter({ parts: { components: [split], entry: split } }).of<Service>("Service");
    assert.equal(proven?.spec?.selector?.app, "chat-engine");
  });
  test("a private service has no route", () => {
    const { names, state } = enter({
      ingress: gateway,
      labels: { "networking.knative.dev/visibility": "cluster-local" },
    });
    assert.deepEqual([names, state.status, state.reason], [["Service/chat"], "True", "ClusterLocal"]);
  });
});

describe("HTTPRoutes", () => {
  test("one for an engine, one more for each of several components", () => {
    assert.deepEqual(enter({ ingress: gateway }).names, ["Service/chat", "HTTPRoute/chat"]);
    const { names, of } = enter({ ingress: gateway, parts: routed });
    assert.deepEqual(names, [
      "Service/chat",
      "HTTPRoute/chat",
      "HTTPRoute/chat-engine",
      "HTTPRoute/chat-decoder",
      "HTTPRoute/chat-router",
    ]);
    assert.deepEqual(
      of<HTTPRoute>("HTTPRoute").map(({ spec }) => [spec.hostnames?.[0], spec.rules?.[0]?.backendRefs?.[0]?.name]),
      [
        ["chat.team.example.com", "chat-router"],
        ["chat-engine.team.example.com", "chat-engine"],
        ["chat-decoder.team.example.com", "chat-decoder"],
        ["chat-router.team.example.com", "chat-router"],
      ],
    );
    const [top] = of<HTTPRoute>("HTTPRoute");
    assert.deepEqual(top?.spec.parentRefs, [{ name: "public", namespace: "edge" }]);
    assert.deepEqual(top?.spec.rules?.[0]?.backendRefs, [{ ...toService, name: "chat-router", port: 9000, weight: 1 }]);
  });
  test("share requests by weight", () => {
    const backends = [
      { name: "chat-engine", port: 9000, weight: 80 },
      { name: "chat-engine-canary", port: 9000, weight: 20 },
    ];
    const split = component("engine", { backends });
    const [top] = enter({ ingress: gateway, parts: { components: [split], entry: split } }).of<HTTPRoute>("HTTPRoute");
    assert.deepEqual(
      top?.spec.rules?.[0]?.backendRefs,
      backends.map((one) => ({ ...toService, ...one })),
    );
  });
  test("a path that services share a host by is taken away again", () => {
    const paths = { ...gateway, pathTemplate: "/serving/{{ .Namespace }}/{{ .Name }}", urlScheme: "https" };
    const { of, state } = enter({ ingress: paths });
    const [{ spec }] = of<HTTPRoute>("HTTPRoute") as [HTTPRoute];
    assert.deepEqual(spec.hostnames, ["example.com"]);
    assert.equal(spec.rules?.[0]?.matches?.[0]?.path?.value, "/serving/team/chat");
    assert.equal(spec.rules?.[0]?.filters?.[0]?.urlRewrite?.path?.replacePrefixMatch, "/");
    assert.equal(state.url, "https://example.com/serving/team/chat");
  });
  test("are ready when those say so who carry them out, and not before", () => {
    const route = (...parents: ObservedEntry["routes"][number]["parents"]) =>
      ({ kind: "HTTPRoute", name: "chat", by: "Gateway public", parents }) as const;
    const stateWith = (...routes: ObservedEntry["routes"]) => enter({ ingress: gateway, observed: { routes } }).state;
    assert.deepEqual([stateWith().status, stateWith().reason], ["Unknown", "RoutePending"]);
    assert.equal(
      stateWith(route()).message,
      "Waiting for Gateway edge/public to accept HTTPRoute chat; check that a controller for Gateway edge/public runs if this does not change",
    );
    const missing = enter({ ingress: gateway, observed: { routes: [route()], isGatewayMissing: true } }).state;
    assert.equal(
      `${missing.status} ${missing.reason} ${missing.message}`,
      "Unknown RoutePending Gateway edge/public not found; create it, or change the ingress settings of ConfigMap inferenceservice-config",
    );
    const refused = stateWith(route({ accepted: false, reason: "NotAllowedByListeners", message: "no" }));
    assert.deepEqual([refused.status, refused.reason], ["False", "RouteRefused"]);
    assert.match(
      refused.message,
      /^Gateway edge\/public rejected HTTPRoute chat \(NotAllowedByListeners\): no; allow routes from this namespace/,
    );
    assert.deepEqual([stateWith(route(accepted)).status, stateWith(route(accepted)).reason], ["True", "RouteTaken"]);
    const early = enter({ ingress: gateway, observed: { routes: [route(accepted)] }, areComponentsReady: false }).state;
    assert.deepEqual([early.status, early.reason], ["False", "ComponentNotReady"]);
    const half = enter({ ingress: gateway, parts: routed, observed: { routes: [route(accepted)] } }).state;
    assert.match(half.message, /^Waiting for Gateway edge\/public to accept HTTPRoute chat-engine;/);
  });
  test("are not made where the Gateway API is not installed, and that is said", () => {
    const { names, state } = enter({ ingress: gateway, observed: { gatewayApi: known(false), routes: [] } });
    assert.deepEqual([names, state.status, state.reason], [["Service/chat"], "False", "IngressKindMissing"]);
    assert.equal(state.address, "http://chat.team.svc.cluster.local:9000");
  });
});

const accepted = { accepted: true, reason: "Accepted", message: "" };

describe("an Ingress", () => {
  test("leads every host to its component, on the port of its Service", () => {
    const { names, of } = enter({
      ingress: { ...byIngress, additionalIngressDomains: ["example.org"] },
      parts: routed,
      annotations: {
        "nginx.ingress.kubernetes.io/proxy-body-size": "8m",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "ome.io/deploymentMode": "RawDeployment",
      },
    });
    assert.deepEqual(names, ["Service/chat", "Ingress/chat"]);
    const [one] = of<Ingress>("Ingress");
    assert.deepEqual(one?.metadata.annotations, { "nginx.ingress.kubernetes.io/proxy-body-size": "8m" });
    assert.equal(one?.spec?.ingressClassName, "nginx");
    assert.deepEqual(
      one?.spec?.rules?.map(({ host, http }) => [host, http?.paths[0]?.backend.service]),
      [
        ["chat.team.example.com", "router"],
        ["chat.team.example.org", "router"],
        ["chat-engine.team.example.com", "engine"],
        ["chat-engine.team.example.org", "engine"],
        ["chat-decoder.team.example.com", "decoder"],
        ["chat-decoder.team.example.org", "decoder"],
        ["chat-router.team.example.com", "router"],
        ["chat-router.team.example.org", "router"],
      ].map(([host, name]) => [host, { name: `chat-${name}`, port: { number: 9000 } }]),
    );
  });
  test("is ready when a load balancer has it", () => {
    const observedAs = (...parents: ObservedEntry["routes"][number]["parents"]) =>
      enter({
        ingress: byIngress,
        observed: { routes: [{ kind: "Ingress", name: "chat", by: "load balancer", parents }] },
      }).state;
    assert.match(observedAs().message, /^Waiting for IngressClass nginx to accept Ingress chat;/);
    const state = observedAs(accepted);
    assert.deepEqual([state.status, state.url], ["True", "http://chat.team.example.com"]);
  });
  test("says what it cannot do", () => {
    const split = component("engine", { backends: [{ name: "a", port: 1, weight: 1 }] });
    const parts = { components: [split], entry: split };
    const { plan, state } = enter({ ingress: { ...byIngress, pathTemplate: "/{{ .Name }}" }, parts });
    assert.equal(plan.is === "open" ? plan.warnings.length : 0, 2);
    assert.equal(state.url, "http://chat.team.example.com");
  });
});

describe("a VirtualService, for Knative", () => {
  const knativeOn = { ...on, ingressDomain: "example.com", urlScheme: "https" };
  test("leads all names to the one that Knative knows", () => {
    const { names, of, state } = enter({ ingress: knativeOn, parts: knative });
    assert.deepEqual(names, ["Service/chat", "VirtualService/chat"]);
    const [alias] = of<Service>("Service");
    assert.equal(alias?.spec?.externalName, "knative-local-gateway.istio-system.svc.cluster.local");
    const [{ spec }] = of<VirtualService>("VirtualService") as [VirtualService];
    assert.deepEqual(spec.hosts, ["chat.team.example.com", "chat.team.svc.cluster.local"]);
    assert.deepEqual(spec.gateways, [
      "knative-serving/knative-ingress-gateway",
      "knative-serving/knative-local-gateway",
      "mesh",
    ]);
    assert.deepEqual(spec.http?.[0]?.rewrite, { authority: "chat-engine.team.svc.cluster.local" });
    assert.deepEqual(spec.http?.[0]?.headers?.request?.set, {
      "OME-Isvc-Name": "chat",
      "OME-Isvc-Namespace": "team",
    });
    assert.deepEqual(
      [state.url, state.address],
      ["https://chat.team.example.com", "http://chat.team.svc.cluster.local"],
    );
  });
  test("keeps a private service to the cluster", () => {
    const labels = { "networking.knative.dev/visibility": "cluster-local" };
    const { of, state } = enter({ ingress: knativeOn, parts: knative, labels });
    const [{ spec }] = of<VirtualService>("VirtualService") as [VirtualService];
    assert.deepEqual(spec.hosts, ["chat.team.svc.cluster.local"]);
    assert.deepEqual(spec.gateways, ["knative-serving/knative-local-gateway", "mesh"]);
    assert.equal(state.url, "http://chat.team.svc.cluster.local");
  });
  test("without it Knative's own address is told, and nothing that leads nowhere is made", () => {
    for (const ingress of [{}, { ...knativeOn, disableIstioVirtualHost: true }]) {
      const { names, state } = enter({ ingress, parts: knative });
      assert.deepEqual(names, []);
      assert.equal(state.url, "http://chat-engine.team.knative.example");
      assert.equal(state.address, "http://chat-engine.team.svc.cluster.local");
    }
    const missing = enter({ ingress: knativeOn, parts: knative, observed: { istio: known(false), routes: [] } });
    assert.deepEqual([missing.names, missing.state.reason], [[], "IngressKindMissing"]);
  });
});

describe("C16: annotations of one service", () => {
  const prefix = "ome.io/ingress-";
  const settled = (annotations: Texts, ingress: object = byIngress) => enter({ ingress, annotations });
  test("win over the settings of all", () => {
    const { state } = settled({ [`${prefix}domain`]: "other.net", [`${prefix}url-scheme`]: "https" });
    assert.equal(state.url, "https://chat.team.other.net");
    const template = settled({
      [`${prefix}domain-template`]: '{{ .Name }}-{{ index .Labels "a/b" }}x.{{ .IngressDomain }}',
    });
    assert.equal(template.state.url, "http://chat-x.example.com");
    const more = settled({ [`${prefix}additional-domains`]: "a.net, b.net,," }).of<Ingress>("Ingress")[0];
    assert.deepEqual(
      more?.spec?.rules?.map(({ host }) => host),
      ["chat.team.example.com", "chat.team.a.net", "chat.team.b.net"],
    );
    assert.equal(settled({ [`${prefix}disable-creation`]: "true" }).state.reason, "IngressDisabled");
    assert.deepEqual(settled({ [`${prefix}disable-creation`]: "false" }, {}).names, ["Service/chat", "Ingress/chat"]);
  });
  test("that are wrong matter only where a route is wanted", () => {
    const { names, state } = settled({ [`${prefix}url-scheme`]: "ftp" }, {});
    assert.deepEqual([names, state.status], [["Service/chat"], "True"]);
  });
  test("say nothing when empty, except for the path", () => {
    const empty = { [`${prefix}domain`]: "", [`${prefix}url-scheme`]: "", [`${prefix}domain-template`]: "" };
    assert.equal(settled(empty).state.url, "http://chat.team.example.com");
    const pathed = { ...gateway, pathTemplate: "/{{ .Name }}" };
    assert.equal(settled({ [`${prefix}path-template`]: "" }, pathed).state.url, "http://chat.team.example.com");
  });
});

describe("settings that cannot be", () => {
  const routes: ObservedEntry["routes"] = [{ kind: "HTTPRoute", name: "chat", by: "x", parents: [accepted] }];
  const isKept = ({ children }: ReturnType<typeof enter>) => {
    const kept = children.find(({ kind }) => kind.kind === "HTTPRoute");
    assert.deepEqual([kept?.keep, kept?.object.metadata.name], [true, "chat"]);
  };
  for (const [name, given, why] of [
    ["no JSON", { ingress: "{" }, /key ingress: not valid JSON/],
    ["no Gateway", { ingress: { ...gateway, omeIngressGateway: "" } }, /no Gateway is set/],
  ] as const) {
    test(`${name}: the administrator's fault takes nothing from a service`, () => {
      const entered = enter({ ...given, observed: { routes } });
      isKept(entered);
      assert.deepEqual([entered.state.status, entered.state.reason], ["True", "RouteTaken"]);
      assert.match(entered.state.message, why);
      const waiting = enter({
        ...given,
        observed: { routes: [{ kind: "HTTPRoute", name: "chat", by: "x", parents: [] }] },
      });
      assert.deepEqual([waiting.state.status, waiting.state.reason], ["False", "InvalidIngressConfig"]);
    });
  }
  test("a key that cannot be read is as none, where nothing led in; one that is not finished is a fault", () => {
    const unread = enter({ ingress: "{" });
    assert.deepEqual([unread.names, unread.state.reason], [["Service/chat"], "IngressDisabled"]);
    const unfinished = enter({ ingress: { ...gateway, omeIngressGateway: "" } });
    assert.deepEqual([unfinished.names, unfinished.state.reason], [["Service/chat"], "InvalidIngressConfig"]);
  });
  for (const [name, given, why] of [
    [
      "no host",
      { ingress: { ...gateway, domainTemplate: "{{ .Name }}" } },
      /"chat" is not a fully qualified domain name/,
    ],
    [
      "a host of other letters",
      { ingress: { ...gateway, ingressDomain: "EXAMPLE.com" } },
      /is not a fully qualified domain name/,
    ],
    ["an unknown word", { ingress: { ...gateway, domainTemplate: "{{ .Nam }}.a.b" } }, /is not a valid placeholder/],
    ["a path out", { ingress: { ...gateway, pathTemplate: "/../{{ .Name }}" } }, /is not a valid path/],
    ["a scheme", { ingress: gateway, annotations: { "ome.io/ingress-url-scheme": "ftp" } }, /must be http or https/],
  ] as const) {
    test(`${name}: what leads in stays, and the status says why`, () => {
      const entered = enter({ ...given, observed: { routes } });
      isKept(entered);
      assert.deepEqual([entered.state.status, entered.state.reason], ["False", "InvalidIngressConfig"]);
      assert.match(entered.state.message, why);
    });
  }
});

describe("timeoutSeconds", () => {
  const timed: EntryComponents = {
    components: [component("engine", { timeoutSeconds: 90 }), component("router", { timeoutSeconds: 3600 })],
    entry: component("router", { timeoutSeconds: 3600 }),
  };
  const rules = (route: HTTPRoute | undefined) => route?.spec.rules?.map(({ timeouts }) => timeouts);
  test("reaches the route of the service and of each component", () => {
    const routes = enter({ ingress: gateway, parts: timed }).of<HTTPRoute>("HTTPRoute");
    assert.deepEqual(
      routes.map((route) => [route.metadata.name, rules(route)]),
      [
        ["chat", [{ request: "1h" }]],
        ["chat-engine", [{ request: "1m30s" }]],
        ["chat-router", [{ request: "1h" }]],
      ],
    );
    const [plain] = enter({ ingress: gateway }).of<HTTPRoute>("HTTPRoute");
    assert.deepEqual(rules(plain), [undefined]);
  });
  test("is said not to be enforced where nothing can enforce it", () => {
    const warnings = (given: Given) => {
      const parts = given.parts ?? timed;
      return timeoutWarnings(parts.components, enter({ parts, ...given }).plan);
    };
    assert.deepEqual(warnings({ ingress: gateway }), []);
    assert.deepEqual(warnings({ ingress: byIngress }), [
      "timeoutSeconds of engine and router is not enforced: an Ingress has no timeout; set enableGatewayAPI to true, or use an annotation of the ingress controller",
    ]);
    assert.deepEqual(warnings({}), [
      "timeoutSeconds of engine and router is not enforced: the service has no route; enable ingress creation with enableGatewayAPI",
    ]);
    const asleep = component("engine", { mode: "Serverless", timeoutSeconds: 5 });
    assert.deepEqual(warnings({ parts: { components: [asleep], entry: asleep } }), [], "Knative enforces it");
  });
});
