import { gadgets } from "../fixtures.ts";
import { call, type Sequence, type Step, sequence } from "../sequence.ts";
import { deployments, maps, podSpec, pods, secrets, serviceSpec, services } from "./kinds.ts";

const labelled = (name: string, labels: Record<string, string>): Step => maps.create(name, { metadata: { labels } });
const some: Step[] = [
  labelled("a", { app: "x", tier: "1" }),
  labelled("b", { app: "y", tier: "2" }),
  labelled("c", { tier: "3" }),
  labelled("d", { app: "x" }),
];
const by = (query: string): Step => maps.list(query);
const label = (selector: string): Step => by(`labelSelector=${encodeURIComponent(selector)}`);
const field = (selector: string): Step => by(`fieldSelector=${encodeURIComponent(selector)}`);

const selectors: Sequence[] = [
  sequence(
    "selectors/labels: equality",
    ...some,
    label("app=x"),
    label("app==x"),
    label("app!=x"),
    label("app=x,tier=1"),
  ),
  sequence(
    "selectors/labels: sets",
    ...some,
    label("app in (x,y)"),
    label("app notin (x)"),
    label("app in ()"),
    label("tier in (1, 3),app"),
  ),
  sequence("selectors/labels: existence", ...some, label("app"), label("!app"), label("! app,tier")),
  sequence("selectors/labels: order", ...some, label("tier>1,tier"), label("tier<3,tier"), label("tier>x")),
  sequence(
    "selectors/labels: faults",
    label("app in"),
    label("=x"),
    label("app=x,"),
    label("app=a b"),
    label("app in (x"),
    label("a$=x"),
    label(","),
    label("app=-x"),
  ),
  sequence(
    "selectors/fields: name",
    ...some,
    field("metadata.name=a"),
    field("metadata.name!=a,metadata.name!=kube-root-ca.crt"),
    field("metadata.name=nope"),
    field("metadata.namespace={ns},metadata.name=b"),
  ),
  sequence(
    "selectors/fields: faults",
    field("data.a=1"),
    field("nope=1"),
    field("metadata.name"),
    field("metadata.name=a,,"),
    field("metadata.name>a"),
    field("="),
  ),
  sequence("selectors/fields: escapes", field("metadata.name=a\\,b"), field("metadata.name=a\\x")),
  sequence(
    "selectors/pods",
    pods.create("a", { spec: podSpec }),
    pods.create("b", { spec: { ...podSpec, nodeName: "n1" } }),
    pods.list("fieldSelector=spec.nodeName%3Dn1"),
    pods.list("fieldSelector=status.phase%3DPending"),
    pods.list("fieldSelector=spec.restartPolicy%3DAlways,spec.nodeName%3D"),
    pods.list("fieldSelector=spec.hostname%3Dx"),
  ),
  sequence(
    "selectors/secrets",
    secrets.create("a", { type: "Opaque" }),
    secrets.create("b", { type: "x/y" }),
    secrets.list("fieldSelector=type%3Dx/y"),
  ),
  sequence(
    "selectors/services",
    services.create("a", { spec: serviceSpec }),
    services.create("b", { spec: { ...serviceSpec, clusterIP: "None" } }),
    services.list("fieldSelector=spec.clusterIP%3DNone"),
    services.list("fieldSelector=spec.type%3DClusterIP"),
  ),
  sequence(
    "selectors/custom fields",
    gadgets.create("a", { spec: { colour: "red", size: 3, on: true } }),
    gadgets.create("b", { spec: { colour: "blue", size: 4 } }),
    gadgets.list("fieldSelector=spec.colour%3Dred"),
    gadgets.list("fieldSelector=spec.size%3D4"),
    gadgets.list("fieldSelector=spec.on%3Dtrue"),
    gadgets.list("fieldSelector=spec.on%3Dfalse"),
    gadgets.list("fieldSelector=spec.colour%3D"),
    gadgets.list("fieldSelector=spec.name%3Dx"),
  ),
  sequence(
    "selectors/on get and delete are not asked",
    ...some,
    call("GET", maps.at("a", "labelSelector=app%3Dnope")),
    maps.remove("a", undefined, "labelSelector=app%3Dnope"),
  ),
  sequence("selectors/delete collection", ...some, maps.removeAll("labelSelector=app%3Dx"), maps.list()),
  sequence("selectors/deployments have few", deployments.list("fieldSelector=spec.replicas%3D1")),
];

const five: Step[] = ["a", "b", "c", "d", "e"].map((name) => maps.create(name, { metadata: { labels: { p: "q" } } }));
const page = (query: string): Step => maps.list(`labelSelector=p%3Dq&${query}`);

const paging: Sequence[] = [
  sequence(
    "paging/pages",
    ...five,
    page("limit=2"),
    page("limit=2&continue=$6.metadata.continue"),
    page("limit=2&continue=$7.metadata.continue"),
  ),
  sequence(
    "paging/without a selector",
    ...five,
    maps.list("limit=2"),
    maps.list("limit=3&continue=$6.metadata.continue"),
    maps.list("limit=9&continue=$7.metadata.continue"),
  ),
  sequence(
    "paging/limit as large as the list",
    ...five,
    maps.list("limit=6"),
    maps.list("limit=7"),
    maps.list("limit=0"),
  ),
  sequence(
    "paging/the page sees no later change",
    ...five,
    maps.list("limit=2"),
    maps.remove("d"),
    maps.create("bb"),
    maps.merge("c", { data: { late: "1" } }),
    maps.list("limit=10&continue=$6.metadata.continue"),
  ),
  sequence("paging/limit is no number", maps.list("limit=x"), maps.list("limit=-1"), maps.list("limit=1.5")),
  sequence(
    "paging/bad token",
    maps.list("limit=1&continue=nope"),
    maps.list("limit=1&continue=e30"),
    maps.list("limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0"),
  ),
  sequence(
    "paging/token of another path",
    ...five,
    maps.list("limit=2"),
    secrets.list("limit=2&continue=$6.metadata.continue"),
  ),
  sequence(
    "paging/token with a version",
    ...five,
    maps.list("limit=2"),
    maps.list("limit=2&resourceVersion=1&continue=$6.metadata.continue"),
  ),
  sequence("paging/version 0", ...five, page("limit=2&resourceVersion=0"), page("resourceVersion=0")),
  sequence(
    "paging/custom resources",
    ...["a", "b", "c"].map((name) => gadgets.create(name)),
    gadgets.list("limit=2"),
    gadgets.list("limit=2&continue=$4.metadata.continue"),
  ),
  sequence("paging/table", ...five, maps.table("", "limit=2"), maps.table("", "limit=9&continue=$6.metadata.continue")),
  sequence("paging/partial", ...five, maps.partial("", "limit=2")),
];

const versions: Sequence[] = [
  sequence(
    "versions/get",
    maps.create("a"),
    maps.get("a", "resourceVersion=0"),
    maps.get("a", "resourceVersion=$1.metadata.resourceVersion"),
    maps.get("a", "resourceVersion=x"),
    maps.get("a", "resourceVersion=-1"),
  ),
  sequence(
    "versions/list",
    maps.create("a"),
    maps.list("resourceVersion=$1.metadata.resourceVersion"),
    maps.list("resourceVersion=$1.metadata.resourceVersion&resourceVersionMatch=NotOlderThan"),
    maps.list("resourceVersion=x"),
    maps.list("resourceVersionMatch=Exact"),
    maps.list("resourceVersion=5&resourceVersionMatch=Nope"),
    maps.list("resourceVersion=0&resourceVersionMatch=Exact"),
    maps.list("resourceVersion=0&resourceVersionMatch=NotOlderThan"),
  ),
  sequence(
    "versions/list exactly then",
    maps.create("a", { data: { v: "1" } }),
    maps.merge("a", { data: { v: "2" } }),
    maps.create("b"),
    maps.list("resourceVersion=$1.metadata.resourceVersion&resourceVersionMatch=Exact"),
  ),
  sequence("versions/list of the future", maps.list("resourceVersion=999999999&resourceVersionMatch=Exact")),
  sequence(
    "versions/match with continue",
    ...five,
    maps.list("limit=2"),
    maps.list("limit=2&resourceVersionMatch=Exact&continue=$6.metadata.continue"),
  ),
  sequence(
    "versions/list with sendInitialEvents",
    maps.list("sendInitialEvents=true"),
    maps.list("sendInitialEvents=false&resourceVersionMatch=NotOlderThan"),
  ),
  sequence(
    "versions/delete with version",
    maps.create("a"),
    maps.merge("a", { data: { a: "1" } }),
    maps.remove("a", { preconditions: { resourceVersion: "$1.metadata.resourceVersion" } }),
    maps.remove("a", { preconditions: { uid: "33333333-3333-3333-3333-333333333333" } }),
    maps.remove("a", { preconditions: { resourceVersion: "$2.metadata.resourceVersion", uid: "$1.metadata.uid" } }),
  ),
];

const accepts = {
  "table before json": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
  "table of an old version": "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
  "table of an unknown version": "application/json;as=Table;v=v9;g=meta.k8s.io",
  "table of an unknown version, or json": "application/json;as=Table;v=v9;g=meta.k8s.io,application/json",
  "an unknown form": "application/json;as=Nothing;v=v1;g=meta.k8s.io",
  "an unknown group": "application/json;as=Table;v=v1;g=nope",
  anything: "*/*",
  "any application": "application/*",
  "quality and order": "text/html;q=0.9,application/json;q=0.8",
  "partial of one": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "partial list": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "pretty json": "application/json;pretty=1",
  "with charset": "application/json;charset=utf-8",
};

const forms: Sequence[] = Object.entries(accepts).map(([name, accept]) =>
  sequence(
    `forms/${name}`,
    maps.create("a", { data: { a: "1" } }),
    call("GET", maps.at("a"), undefined, { accept }),
    call("GET", maps.at("", "labelSelector=none"), undefined, { accept }),
    call("GET", maps.at("nope"), undefined, { accept }),
  ),
);

const others: Sequence[] = [
  sequence(
    "forms/table without objects",
    maps.create("a"),
    maps.table("", "includeObject=None"),
    maps.table("", "includeObject=Object"),
    maps.table("", "includeObject=Metadata"),
    maps.table("", "includeObject=Nope"),
  ),
  sequence(
    "forms/partial after create",
    call("POST", maps.at(), maps.object("a", { metadata: { labels: { a: "b" } } }), {
      accept: accepts["partial of one"],
    }),
    maps.partial("a"),
    maps.partial(),
  ),
  sequence(
    "forms/table after create",
    call("POST", maps.at(), maps.object("a"), { accept: accepts["table before json"] }),
    call("PUT", maps.at("a"), maps.object("a", { data: { a: "1" } }), { accept: accepts["table before json"] }),
    call("DELETE", maps.at("a"), undefined, { accept: accepts["table before json"] }),
  ),
  sequence("forms/head", maps.create("a"), call("HEAD", maps.at("a")), call("OPTIONS", maps.at("a"))),
  sequence("forms/trailing slash", maps.create("a"), call("GET", `${maps.at()}/`), call("GET", `${maps.at("a")}/`)),
  sequence(
    "forms/odd paths",
    call("GET", "/api/v1/namespaces/{ns}/configmaps/a/b/c"),
    call("GET", "/api/v1/namespaces/{ns}/configmaps/%61"),
    call("GET", "/api/v1/namespaces/UPPER/configmaps/a"),
  ),
  sequence("forms/unknown query", maps.list("nope=1"), maps.create("a", {}, "nope=1")),
  sequence("forms/bools", maps.list("watch=false"), maps.list("allowWatchBookmarks=x"), maps.list("timeoutSeconds=x")),
];

export const reading: Sequence[] = [...selectors, ...paging, ...versions, ...forms, ...others];
