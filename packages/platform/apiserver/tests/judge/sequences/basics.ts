import { gadgets } from "../fixtures.ts";
import { call, type Sequence, sequence } from "../sequence.ts";
import { deploymentSpec, deployments, maps, podSpec, pods, secrets, serviceSpec, services } from "./kinds.ts";

const data = { data: { a: "1" } };

/** Create, read, update and delete, and what is answered when a call does not fit. */
export const basics: Sequence[] = [
  sequence(
    "basics/create, get, list, delete",
    maps.create("a", data),
    maps.get("a"),
    maps.list(),
    maps.remove("a"),
    maps.get("a"),
  ),
  sequence("basics/create twice", maps.create("a", data), maps.create("a", data)),
  sequence("basics/get absent", maps.get("nope"), pods.get("nope"), deployments.get("nope")),
  sequence("basics/delete absent", maps.remove("nope"), deployments.remove("nope")),
  sequence("basics/create without name", maps.post({ apiVersion: "v1", kind: "ConfigMap", metadata: {} })),
  sequence("basics/create without metadata", maps.post({ apiVersion: "v1", kind: "ConfigMap" })),
  sequence("basics/create with bad name", maps.create("Bad_Name", data), pods.create("UPPER", { spec: podSpec })),
  sequence("basics/create with name too long", maps.create("a".repeat(254), data)),
  sequence(
    "basics/create in absent namespace",
    call("POST", "/api/v1/namespaces/{id}-none/configmaps", maps.object("a", data)),
  ),
  sequence("basics/namespace of body differs", maps.create("a", { metadata: { namespace: "other" } })),
  sequence("basics/kind of body differs", maps.post({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" } })),
  sequence(
    "basics/version of body differs",
    maps.post({ apiVersion: "v2", kind: "ConfigMap", metadata: { name: "a" } }),
  ),
  sequence(
    "basics/group of body differs",
    maps.post({ apiVersion: "apps/v1", kind: "ConfigMap", metadata: { name: "a" } }),
  ),
  sequence("basics/body without kind", maps.post({ metadata: { name: "a" } })),
  sequence("basics/body without kind but version", maps.post({ apiVersion: "v1", metadata: { name: "a" } })),
  sequence(
    "basics/body is no JSON",
    maps.post("{nope"),
    maps.post(""),
    maps.post("[]"),
    maps.post('"text"'),
    maps.post("null"),
  ),
  sequence("basics/body is cut", maps.post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"')),
  sequence(
    "basics/body is YAML",
    maps.post("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: '1'}\n", "", {
      "content-type": "application/yaml",
    }),
  ),
  sequence("basics/body is bad YAML", maps.post("apiVersion: v1\nkind: [", "", { "content-type": "application/yaml" })),
  sequence(
    "basics/field of wrong type",
    maps.create("a", { data: { a: 1 } }),
    maps.create("b", { data: "x" }),
    maps.create("c", { data: [] }),
  ),
  sequence(
    "basics/deployment with fields of wrong type",
    deployments.create("a", { spec: { replicas: "3" } }),
    deployments.create("a", { spec: { replicas: 1.5 } }),
    deployments.create("a", { spec: "x" }),
  ),
  sequence(
    "basics/metadata of wrong type",
    maps.post({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: 5 } }),
    maps.post({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", labels: { a: 1 } } }),
  ),
  sequence("basics/put", maps.create("a", data), maps.put("a", { data: { b: "2" } }), maps.get("a")),
  sequence("basics/put absent", maps.put("a", data)),
  sequence(
    "basics/put with the version that is",
    maps.create("a", data),
    maps.put("a", { metadata: { resourceVersion: "$1.metadata.resourceVersion" }, data: { b: "2" } }),
  ),
  sequence(
    "basics/put with an old version",
    maps.create("a", data),
    maps.put("a", { data: { b: "2" } }),
    maps.put("a", { metadata: { resourceVersion: "$1.metadata.resourceVersion" }, data: { c: "3" } }),
  ),
  sequence(
    "basics/put with a version that is no number",
    maps.create("a", data),
    maps.put("a", { metadata: { resourceVersion: "x" } }),
  ),
  sequence(
    "basics/put with another uid",
    maps.create("a", data),
    maps.put("a", { metadata: { uid: "11111111-1111-1111-1111-111111111111" } }),
  ),
  sequence("basics/put with another name", maps.create("a", data), call("PUT", maps.at("a"), maps.object("b", data))),
  sequence(
    "basics/put without a name",
    maps.create("a", data),
    call("PUT", maps.at("a"), { apiVersion: "v1", kind: "ConfigMap" }),
  ),
  sequence(
    "basics/put with another namespace",
    maps.create("a", data),
    maps.put("a", { metadata: { namespace: "other" } }),
  ),
  sequence(
    "basics/put that changes nothing keeps the version",
    maps.create("a", data),
    maps.put("a", data),
    maps.get("a"),
  ),
  sequence("basics/create with a version", maps.create("a", { metadata: { resourceVersion: "5" } })),
  sequence(
    "basics/create with uid and times",
    maps.create("a", {
      metadata: {
        uid: "u",
        creationTimestamp: "2020-01-01T00:00:00Z",
        selfLink: "x",
        generation: 7,
        deletionTimestamp: "2020-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 4,
      },
    }),
  ),
  sequence("basics/uid of the creator is not kept", maps.create("a", data), maps.remove("a"), maps.create("a", data)),
  sequence(
    "basics/generateName",
    maps.post({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "gen-" } }),
    maps.get("$1.metadata.name"),
  ),
  sequence(
    "basics/generateName with a long prefix",
    maps.post({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "g".repeat(250) } }),
  ),
  sequence(
    "basics/generateName and name",
    maps.post({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "gen-", name: "a" } }),
  ),
  sequence(
    "basics/generateName of pods",
    pods.post({ apiVersion: "v1", kind: "Pod", metadata: { generateName: "p-" }, spec: podSpec }),
  ),
  sequence(
    "basics/bad labels and annotations",
    maps.create("a", { metadata: { labels: { "-a": "x" }, annotations: { "a/b/c": "x" } } }),
  ),
  sequence("basics/label too long", maps.create("a", { metadata: { labels: { a: "x".repeat(64) } } })),
  sequence(
    "basics/bad owner references",
    maps.create("a", {
      metadata: {
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "", uid: "" },
          { apiVersion: "", kind: "", name: "x", uid: "y" },
        ],
      },
    }),
  ),
  sequence(
    "basics/two controllers",
    maps.create("a", {
      metadata: {
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "a", uid: "1", controller: true },
          { apiVersion: "v1", kind: "Pod", name: "b", uid: "2", controller: true },
        ],
      },
    }),
  ),
  sequence("basics/bad finalizers", maps.create("a", { metadata: { finalizers: ["nodomain", "a/b/c"] } })),
  sequence(
    "basics/unknown resource",
    call("GET", "/api/v1/namespaces/{ns}/nothings"),
    call("GET", "/apis/apps/v1/namespaces/{ns}/nothings/a"),
    call("POST", "/api/v1/namespaces/{ns}/nothings", {}),
  ),
  sequence(
    "basics/unknown group",
    call("GET", "/apis/nope.example/v1/things"),
    call("GET", "/apis/apps/v9/deployments"),
  ),
  sequence(
    "basics/method that is not allowed",
    call("PUT", maps.at()),
    call("POST", maps.at("a"), {}),
    call("PATCH", maps.at(), {}, { "content-type": "application/merge-patch+json" }),
  ),
  sequence(
    "basics/method on unknown subresource",
    maps.create("a", data),
    call("GET", maps.at("a/status")),
    call("GET", maps.at("a/scale")),
    call("PUT", deployments.at("a/nope"), {}),
  ),
  sequence(
    "basics/namespaced kinds without a namespace",
    call("GET", "/api/v1/configmaps?labelSelector=judge%3Dnone"),
    call("POST", "/api/v1/configmaps", maps.object("a", data)),
  ),
  sequence(
    "basics/accept that nobody has",
    call("GET", maps.at(), undefined, { accept: "text/html" }),
    call("GET", maps.at("a"), undefined, { accept: "image/png" }),
  ),
  sequence(
    "basics/accept YAML",
    maps.create("a", data),
    call("GET", maps.at("a"), undefined, { accept: "application/yaml" }),
  ),
  sequence("basics/content type that nobody has", maps.post("x", "", { "content-type": "text/plain" })),
  sequence(
    "basics/patch content type that nobody has",
    maps.create("a", data),
    call("PATCH", maps.at("a"), {}, { "content-type": "application/json" }),
    call("PATCH", maps.at("a"), {}, { "content-type": "text/plain" }),
  ),
  sequence(
    "basics/secret stringData",
    secrets.create("a", { stringData: { a: "hello", b: "" }, data: { a: "eA==" } }),
    secrets.get("a"),
  ),
  sequence("basics/secret with bad base64", secrets.create("a", { data: { a: "***" } })),
  sequence(
    "basics/immutable config map",
    maps.create("a", { ...data, immutable: true }),
    maps.put("a", { data: { a: "2" }, immutable: true }),
    maps.put("a", { ...data, immutable: false }),
    maps.put("a", { ...data, immutable: true, metadata: { labels: { a: "b" } } }),
  ),
  sequence("basics/pod with a token", pods.create("a", { spec: { containers: [{ name: "main", image: "nginx" }] } })),
  sequence(
    "basics/put rewrites what the server keeps",
    maps.create("a"),
    maps.put("a", { metadata: { creationTimestamp: "2000-01-01T00:00:00Z", generation: 9, selfLink: "x" } }),
    maps.put("a", { metadata: { deletionTimestamp: "2000-01-01T00:00:00Z" } }),
    gadgets.create("a"),
    gadgets.merge("a", { metadata: { creationTimestamp: "2000-01-01T00:00:00Z", generation: 9 } }),
    gadgets.merge("a", { metadata: { deletionTimestamp: "2000-01-01T00:00:00Z" } }),
    gadgets.merge("a", { metadata: { deletionGracePeriodSeconds: 5 } }),
  ),
  sequence("basics/pod defaults", pods.create("a", { spec: podSpec })),
  sequence("basics/deployment defaults", deployments.create("a", { spec: deploymentSpec })),
  sequence("basics/service defaults", services.create("a", { spec: serviceSpec })),
  sequence("basics/deployment without anything", deployments.create("a"), deployments.create("a", { spec: {} })),
  sequence("basics/pod without anything", pods.create("a"), pods.create("a", { spec: { containers: [] } })),
  sequence(
    "basics/generation moves with spec only",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.merge("a", { metadata: { labels: { x: "y" } } }),
    deployments.merge("a", { spec: { replicas: 2 } }),
    deployments.get("a"),
  ),
];
