import { gadgets, planets } from "../fixtures.ts";
import { call, collect, collectToBookmark, collectToEnd, type Sequence, sequence } from "../sequence.ts";
import { deployments, deploymentSpec, maps, pods, podSpec } from "./kinds.ts";

const since = (step: number): string => `resourceVersion=$${step}.metadata.resourceVersion`;
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const partial = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
const mine = "labelSelector=w%3Dx";
const labelled = { metadata: { labels: { w: "x" } } };

export const watching: Sequence[] = [
  sequence("watch/created, changed, deleted", maps.create("a"), maps.watch("w", since(1)), maps.create("b", { data: { a: "1" } }), maps.merge("b", { data: { a: "2" } }), maps.remove("b"), collect("w", 3)),
  sequence("watch/from the past", maps.create("a"), maps.merge("a", { data: { a: "1" } }), maps.remove("a"), maps.watch("w", since(1)), collect("w", 2)),
  sequence("watch/from nowhere gives what is", maps.create("a", labelled), maps.watch("w", mine), collect("w", 1)),
  sequence("watch/from 0 gives what is", maps.create("a", labelled), maps.list(mine), maps.watch("w", `${mine}&resourceVersion=0`), collect("w", 1)),
  sequence("watch/ends in time", maps.create("a", labelled), maps.watch("w", `${mine}&timeoutSeconds=1`), collectToEnd("w")),
  sequence("watch/initial events and bookmark", maps.create("a", labelled), maps.create("b", labelled), maps.watch("w", `${mine}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`), collectToBookmark("w"), maps.create("c", labelled), collect("w", 1)),
  sequence("watch/initial events without bookmarks", maps.create("a", labelled), maps.watch("w", `${mine}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`), collect("w", 1)),
  sequence("watch/initial events without match", maps.watch("w", "sendInitialEvents=true&allowWatchBookmarks=true")),
  sequence("watch/initial events refused", maps.create("a", labelled), maps.watch("w", `${mine}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=1&${since(1)}`), collectToEnd("w")),
  sequence("watch/initial events with a wrong match", maps.watch("w", "sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1")),
  sequence("watch/match without initial events", maps.watch("w", "resourceVersionMatch=NotOlderThan&resourceVersion=1")),
  sequence("watch/initial events of custom resources", gadgets.create("a"), gadgets.watch("w", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"), collectToBookmark("w")),
  sequence("watch/version of a word", maps.watch("w", "resourceVersion=x"), maps.watch("v", "resourceVersion=-5")),
  sequence("watch/label leaves and comes", maps.create("a", labelled), maps.watch("w", `${mine}&${since(1)}`), maps.merge("a", { metadata: { labels: { w: "y" } } }), maps.merge("a", { data: { unseen: "1" } }), maps.merge("a", { metadata: { labels: { w: "x" } } }), maps.remove("a"), collect("w", 3)),
  sequence("watch/one name", maps.create("a"), maps.create("b"), maps.watch("w", `fieldSelector=metadata.name%3Da&${since(1)}`), maps.merge("b", { data: { x: "1" } }), maps.merge("a", { data: { x: "1" } }), collect("w", 1)),
  sequence("watch/field leaves", pods.create("a", { spec: podSpec }), pods.watch("w", `fieldSelector=spec.nodeName%3D&${since(1)}`), call("POST", pods.at("a/binding"), { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target: { apiVersion: "v1", kind: "Node", name: "n" } }), collect("w", 1)),
  sequence("watch/custom field leaves", gadgets.create("a", { spec: { colour: "red" } }), gadgets.watch("w", `fieldSelector=spec.colour%3Dred&${since(1)}`), gadgets.merge("a", { spec: { colour: "blue" } }), gadgets.merge("a", { spec: { colour: "red" } }), collect("w", 2)),
  sequence("watch/no event for a write that changed nothing", maps.create("a"), maps.watch("w", since(1)), maps.merge("a", {}), maps.put("a", {}), maps.merge("a", { data: { last: "1" } }), collect("w", 1)),
  sequence("watch/no event for a dry run", maps.create("a"), maps.watch("w", since(1)), maps.merge("a", { data: { x: "1" } }, "dryRun=All"), maps.merge("a", { data: { last: "1" } }), collect("w", 1)),
  sequence("watch/finalizers make deletion a change", maps.create("a", { metadata: { finalizers: ["a.b/c"] } }), maps.watch("w", since(1)), maps.remove("a"), maps.merge("a", { metadata: { finalizers: null } }), collect("w", 2)),
  sequence("watch/deleted object has the last version", maps.create("a"), maps.watch("w", since(1)), maps.remove("a"), collect("w", 1)),
  sequence("watch/as table", maps.create("a"), maps.watch("w", since(1), table), maps.create("b"), maps.merge("b", { data: { a: "1" } }), maps.remove("b"), collect("w", 3)),
  sequence("watch/as table without objects", maps.create("a"), maps.watch("w", `${since(1)}&includeObject=None`, table), maps.create("b"), collect("w", 1)),
  sequence("watch/as partial", maps.create("a"), maps.watch("w", since(1), partial), maps.create("b", { data: { a: "1" } }), maps.remove("b"), collect("w", 2)),
  sequence("watch/initial events as partial", maps.create("a", labelled), maps.watch("w", `${mine}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, partial), collectToBookmark("w")),
  sequence("watch/initial events as table", maps.create("a", labelled), maps.watch("w", `${mine}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, table), collectToBookmark("w")),
  sequence("watch/bad accept", maps.watch("w", "", { accept: "text/html" })),
  sequence("watch/bad selector", maps.watch("w", "labelSelector=a%20in"), maps.watch("v", "fieldSelector=nope%3D1")),
  sequence("watch/old path", maps.create("a", labelled), call("GET", "/api/v1/watch/namespaces/{ns}/configmaps?labelSelector=none&timeoutSeconds=1")),
  sequence("watch/of one object's path", maps.create("a"), { is: "watch", watch: "w", method: "GET", path: maps.at("a", "watch=true&timeoutSeconds=1") }, collectToEnd("w")),
  sequence("watch/across namespaces", maps.create("a", labelled), { is: "watch", watch: "w", method: "GET", path: `/api/v1/configmaps?watch=true&fieldSelector=metadata.namespace%3D{ns}&${since(1)}` }, maps.merge("a", { data: { x: "1" } }), collect("w", 1)),
  sequence("watch/cluster-wide custom", planets.create("{id}", { spec: { mass: 1 } }), planets.watch("w", `fieldSelector=metadata.name%3D{id}&${since(1)}`), planets.merge("{id}", { spec: { mass: 2 } }), planets.remove("{id}"), collect("w", 2)),
  sequence("watch/deployment and its scale", deployments.create("a", { spec: deploymentSpec }), deployments.watch("w", since(1)), deployments.merge("a/scale", { spec: { replicas: 3 } }), deployments.merge("a/status", { status: { replicas: 1 } }), collect("w", 2)),
  sequence("watch/delete collection", maps.create("a", labelled), maps.create("b", labelled), maps.watch("w", `${mine}&${since(2)}`), maps.removeAll(mine), collect("w", 2)),
  sequence("watch/of the future", maps.watch("w", "resourceVersion=99999999&timeoutSeconds=1")),
];
