import { gadgets } from "../fixtures.ts";
import { type Sequence, type Step, sequence } from "../sequence.ts";
import { deploymentSpec, deployments, maps, podSpec, pods, services } from "./kinds.ts";

const start = maps.create("a", { data: { a: "1", b: "2" }, metadata: { labels: { x: "y" } } });
const rich = {
  replicas: 2,
  selector: { matchLabels: { app: "a" } },
  template: {
    metadata: { labels: { app: "a" } },
    spec: {
      volumes: [
        { name: "v", emptyDir: {} },
        { name: "w", emptyDir: {} },
      ],
      tolerations: [{ key: "k", operator: "Exists" }],
      containers: [
        {
          name: "one",
          image: "i:1",
          args: ["a", "b"],
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
          ports: [{ containerPort: 80 }, { containerPort: 81, protocol: "UDP" }],
          volumeMounts: [{ name: "v", mountPath: "/v" }],
        },
        { name: "two", image: "i:2" },
      ],
    },
  },
};
const inTemplate = (spec: object) => ({ spec: { template: { spec: spec as never } } });
const deployment = deployments.create("a", { spec: rich });
const service = services.create("a", {
  spec: {
    selector: { app: "a" },
    ports: [
      { name: "http", port: 80 },
      { name: "https", port: 443 },
    ],
  },
});
const pod = pods.create("a", { spec: { ...podSpec, tolerations: [{ key: "k", operator: "Exists" }] } });
const family = (theme: string, first: Step, cases: Record<string, Step[]>): Sequence[] =>
  Object.entries(cases).map(([name, steps]) => sequence(`${theme}/${name}`, first, ...steps));

const strategic = family("strategic/deployment", deployment, {
  "image of one container": [deployments.strategic("a", inTemplate({ containers: [{ name: "two", image: "i:3" }] }))],
  "new container": [deployments.strategic("a", inTemplate({ containers: [{ name: "three", image: "i:3" }] }))],
  "delete container": [deployments.strategic("a", inTemplate({ containers: [{ name: "two", $patch: "delete" }] }))],
  "delete absent container": [
    deployments.strategic("a", inTemplate({ containers: [{ name: "nine", $patch: "delete" }] })),
  ],
  "replace containers": [
    deployments.strategic("a", inTemplate({ containers: [{ $patch: "replace" }, { name: "new", image: "i:9" }] })),
  ],
  "replace template spec": [
    deployments.strategic("a", inTemplate({ $patch: "replace", containers: [{ name: "new", image: "i:9" }] })),
  ],
  "order of containers": [
    deployments.strategic(
      "a",
      inTemplate({
        "$setElementOrder/containers": [{ name: "two" }, { name: "one" }],
        containers: [{ name: "two", image: "i:5" }],
      }),
    ),
  ],
  "order without the item": [
    deployments.strategic(
      "a",
      inTemplate({ "$setElementOrder/containers": [{ name: "one" }], containers: [{ name: "two", image: "i:5" }] }),
    ),
  ],
  "container without key": [deployments.strategic("a", inTemplate({ containers: [{ image: "i:3" }] }))],
  "env merge": [
    deployments.strategic(
      "a",
      inTemplate({
        containers: [
          {
            name: "one",
            env: [
              { name: "B", value: "3" },
              { name: "C", value: "4" },
            ],
          },
        ],
      }),
    ),
  ],
  "env delete": [
    deployments.strategic("a", inTemplate({ containers: [{ name: "one", env: [{ name: "A", $patch: "delete" }] }] })),
  ],
  "args are replaced": [deployments.strategic("a", inTemplate({ containers: [{ name: "one", args: ["c"] }] }))],
  "ports merge by containerPort": [
    deployments.strategic(
      "a",
      inTemplate({
        containers: [{ name: "one", ports: [{ containerPort: 80, name: "http" }, { containerPort: 90 }] }],
      }),
    ),
  ],
  "port of wrong type": [
    deployments.strategic("a", inTemplate({ containers: [{ name: "one", ports: [{ containerPort: "80" }] }] })),
  ],
  "volume with retainKeys": [
    deployments.strategic(
      "a",
      inTemplate({ volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x" } }] }),
    ),
  ],
  "strategy with retainKeys": [
    deployments.strategic("a", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
  ],
  "strategy without retainKeys": [deployments.strategic("a", { spec: { strategy: { type: "Recreate" } } })],
  "null removes": [
    deployments.strategic("a", {
      spec: {
        replicas: null,
        template: { spec: { volumes: null, containers: [{ name: "one", volumeMounts: null }] } },
      },
    }),
  ],
  "tolerations are atomic": [
    deployments.strategic("a", inTemplate({ tolerations: [{ key: "z", operator: "Exists" }] })),
  ],
  "delete from primitive list": [
    deployments.strategic("a", { metadata: { finalizers: ["a.b/c", "a.b/d"] } }),
    deployments.strategic("a", { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.b/c"] } }),
    deployments.strategic("a", { metadata: { finalizers: ["a.b/e"] } }),
    deployments.strategic("a", { metadata: { finalizers: null } }),
  ],
  "bad directive": [
    deployments.strategic("a", { $patch: "nope" }),
    deployments.strategic("a", inTemplate({ containers: [{ name: "one", $patch: "nope" }] })),
  ],
  "delete root": [deployments.strategic("a", { $patch: "delete" })],
  "bad retainKeys": [
    deployments.strategic("a", { spec: { strategy: { $retainKeys: "type", type: "Recreate" } } }),
    deployments.strategic("a", { spec: { strategy: { $retainKeys: ["rollingUpdate"], type: "Recreate" } } }),
  ],
  "bad order": [deployments.strategic("a", inTemplate({ "$setElementOrder/containers": "x", containers: [] }))],
  "unknown field": [
    deployments.strategic("a", { spec: { nope: 1 } }),
    deployments.strategic("a", { spec: { nope: 1 } }, "fieldValidation=Strict"),
  ],
  "wrong type": [
    deployments.strategic("a", { spec: { replicas: "x" } }),
    deployments.strategic("a", { spec: [] }),
    deployments.strategic("a", inTemplate({ containers: {} })),
  ],
  "list as body": [
    deployments.strategic("a", []),
    deployments.strategic("a", "nope"),
    deployments.strategic("a", "null"),
  ],
  "immutable selector": [deployments.strategic("a", { spec: { selector: { matchLabels: { app: "b" } } } })],
  "empty patch": [deployments.strategic("a", {}), deployments.get("a")],
  "with resourceVersion": [deployments.strategic("a", { metadata: { resourceVersion: "1" }, spec: { replicas: 9 } })],
  "with another name": [deployments.strategic("a", { metadata: { name: "b" } })],
  "topology spread by key": [
    deployments.strategic(
      "a",
      inTemplate({
        topologySpreadConstraints: [
          {
            topologyKey: "zone",
            maxSkew: 1,
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: { app: "a" } },
          },
        ],
      }),
    ),
    deployments.strategic(
      "a",
      inTemplate({
        topologySpreadConstraints: [{ topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", maxSkew: 2 }],
      }),
    ),
  ],
  "image pull secrets": [
    deployments.strategic("a", inTemplate({ imagePullSecrets: [{ name: "s" }] })),
    deployments.strategic("a", inTemplate({ imagePullSecrets: [{ name: "t" }] })),
    deployments.strategic("a", inTemplate({ imagePullSecrets: [{ name: "s", $patch: "delete" }] })),
  ],
});

const strategicOthers = [
  ...family("strategic/service", service, {
    "ports merge by port": [services.strategic("a", { spec: { ports: [{ port: 80, targetPort: 8080 }] } })],
    "port added": [services.strategic("a", { spec: { ports: [{ port: 81, name: "more" }] } })],
    "port deleted": [services.strategic("a", { spec: { ports: [{ port: 80, $patch: "delete" }] } })],
    "selector merges": [services.strategic("a", { spec: { selector: { b: "c", app: null } } })],
    "type changes": [
      services.strategic("a", { spec: { type: "NodePort" } }),
      services.strategic("a", { spec: { type: "ClusterIP" } }),
    ],
    "ports replaced": [services.strategic("a", { spec: { ports: [{ $patch: "replace" }, { port: 9 }] } })],
    "cluster address changes": [services.strategic("a", { spec: { clusterIP: "10.96.255.250" } })],
  }),
  ...family("strategic/pod", pod, {
    image: [pods.strategic("a", { spec: { containers: [{ name: "main", image: "other" }] } })],
    "toleration added": [
      pods.strategic("a", {
        spec: {
          tolerations: [
            { key: "k", operator: "Exists" },
            { key: "z", operator: "Exists" },
          ],
        },
      }),
    ],
    "forbidden field": [
      pods.strategic("a", { spec: { nodeName: "n" } }),
      pods.strategic("a", { spec: { containers: [{ name: "main", command: ["x"] }] } }),
    ],
    deadline: [
      pods.strategic("a", { spec: { activeDeadlineSeconds: 10 } }),
      pods.strategic("a", { spec: { activeDeadlineSeconds: 20 } }),
      pods.strategic("a", { spec: { activeDeadlineSeconds: null } }),
    ],
    labels: [pods.strategic("a", { metadata: { labels: { a: "b" }, annotations: { c: "d" } } })],
  }),
  sequence("strategic/custom resource", gadgets.create("a"), gadgets.strategic("a", { spec: { size: 1 } })),
];

const json = family("json patch", start, {
  "add, replace, remove": [
    maps.json("a", [
      { op: "add", path: "/data/c", value: "3" },
      { op: "replace", path: "/data/a", value: "9" },
      { op: "remove", path: "/data/b" },
    ]),
  ],
  "test passes": [
    maps.json("a", [
      { op: "test", path: "/data/a", value: "1" },
      { op: "replace", path: "/data/a", value: "2" },
    ]),
  ],
  "test fails": [maps.json("a", [{ op: "test", path: "/data/a", value: "9" }])],
  "test of absent": [
    maps.json("a", [{ op: "test", path: "/data/zz", value: "9" }]),
    maps.json("a", [{ op: "test", path: "/data/zz", value: null }]),
  ],
  "move and copy": [
    maps.json("a", [
      { op: "move", from: "/data/a", path: "/data/z" },
      { op: "copy", from: "/data/b", path: "/data/y" },
    ]),
  ],
  "remove absent": [maps.json("a", [{ op: "remove", path: "/data/nope" }])],
  "remove below absent": [maps.json("a", [{ op: "remove", path: "/nope/deeper" }])],
  "replace absent": [maps.json("a", [{ op: "replace", path: "/data/nope", value: "1" }])],
  "add below absent": [maps.json("a", [{ op: "add", path: "/binaryData/x", value: "eA==" }])],
  "copy absent": [maps.json("a", [{ op: "copy", from: "/data/nope", path: "/data/x" }])],
  "move absent": [maps.json("a", [{ op: "move", from: "/data/nope", path: "/data/x" }])],
  "unknown operation": [maps.json("a", [{ op: "nope", path: "/data/x" }])],
  "no operation": [maps.json("a", [{ path: "/data/x" }])],
  "no path": [maps.json("a", [{ op: "add", value: "1" }]), maps.json("a", [{ op: "remove" }])],
  "no value": [maps.json("a", [{ op: "add", path: "/data/x" }]), maps.json("a", [{ op: "replace", path: "/data/a" }])],
  "not a list": [maps.json("a", { op: "add" }), maps.json("a", "nope"), maps.json("a", "null")],
  empty: [maps.json("a", []), maps.get("a")],
  escapes: [
    maps.json("a", [
      { op: "add", path: "/metadata/labels/x.y~1z", value: "1" },
      { op: "add", path: "/metadata/annotations", value: { "t~l": "1" } },
    ]),
    maps.json("a", [{ op: "remove", path: "/metadata/annotations/t~0l" }]),
  ],
  "whole document": [
    maps.json("a", [
      {
        op: "replace",
        path: "",
        value: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { q: "1" } },
      },
    ]),
  ],
  "wrong type after": [
    maps.json("a", [{ op: "replace", path: "/data", value: 5 }]),
    maps.json("a", [{ op: "add", path: "/data/n", value: 5 }]),
  ],
  "list ends": [
    maps.json("a", [{ op: "add", path: "/metadata/finalizers", value: ["a.b/c"] }]),
    maps.json("a", [{ op: "add", path: "/metadata/finalizers/-", value: "a.b/d" }]),
    maps.json("a", [{ op: "add", path: "/metadata/finalizers/0", value: "a.b/e" }]),
    maps.json("a", [{ op: "remove", path: "/metadata/finalizers/7" }]),
    maps.json("a", [{ op: "add", path: "/metadata/finalizers/9", value: "x" }]),
    maps.json("a", [{ op: "add", path: "/metadata/finalizers/x", value: "x" }]),
    maps.json("a", [{ op: "remove", path: "/metadata/finalizers/-1" }]),
    maps.json("a", [{ op: "remove", path: "/metadata/finalizers" }]),
  ],
  "unknown field": [
    maps.json("a", [{ op: "add", path: "/nope", value: 1 }]),
    maps.json("a", [{ op: "add", path: "/nope", value: 1 }], "fieldValidation=Strict"),
  ],
  "absent object": [maps.json("zz", [{ op: "add", path: "/data/x", value: "1" }])],
  "name changes": [maps.json("a", [{ op: "replace", path: "/metadata/name", value: "b" }])],
  "kind changes": [
    maps.json("a", [{ op: "replace", path: "/kind", value: "Nope" }]),
    maps.json("a", [{ op: "remove", path: "/kind" }]),
  ],
  "old resourceVersion": [maps.json("a", [{ op: "replace", path: "/metadata/resourceVersion", value: "1" }])],
  "key in operation twice": [
    maps.json("a", '[{"op":"add","path":"/data/x","value":"1","value":"2"}]'),
    maps.json("a", '[{"op":"add","path":"/data/y","value":"1","value":"2"}]', "fieldValidation=Strict"),
  ],
  "unknown key in operation": [
    maps.json("a", [{ op: "add", path: "/data/x", value: "1", note: "hi" }]),
    maps.json("a", [{ op: "add", path: "/data/y", value: "1", note: "hi" }], "fieldValidation=Strict"),
  ],
});

const merge = family("merge patch", start, {
  "adds, changes, removes": [maps.merge("a", { data: { a: null, b: "3", c: "4" } })],
  "removes a map": [maps.merge("a", { data: null, metadata: { labels: null } })],
  nothing: [maps.merge("a", {}), maps.get("a")],
  "no JSON": [
    maps.merge("a", "nope"),
    maps.merge("a", ""),
    maps.merge("a", "[]"),
    maps.merge("a", "5"),
    maps.merge("a", "null"),
  ],
  "absent object": [maps.merge("zz", {})],
  "wrong type": [maps.merge("a", { data: 5 }), maps.merge("a", { data: { a: 5 } })],
  "unknown field": [
    maps.merge("a", { nope: 1 }),
    maps.merge("a", { nope: 1 }, "fieldValidation=Strict"),
    maps.merge("a", { nope: 1 }, "fieldValidation=Ignore"),
  ],
  "key twice": [
    maps.merge("a", '{"data":{"a":"1","a":"2"}}'),
    maps.merge("a", '{"data":{"a":"1","a":"3"}}', "fieldValidation=Strict"),
  ],
  "identity changes": [
    maps.merge("a", { metadata: { uid: "x" } }),
    maps.merge("a", { metadata: { name: "b" } }),
    maps.merge("a", { metadata: { namespace: "b" } }),
    maps.merge("a", { metadata: { creationTimestamp: null } }),
  ],
  "kind changes": [
    maps.merge("a", { kind: "Nope" }),
    maps.merge("a", { apiVersion: "v2" }),
    maps.merge("a", { kind: null }),
  ],
  "old resourceVersion": [maps.merge("a", { metadata: { resourceVersion: "1" } })],
  "current resourceVersion": [
    maps.merge("a", { metadata: { resourceVersion: "$1.metadata.resourceVersion" }, data: { q: "1" } }),
    maps.merge("a", { metadata: { resourceVersion: "$1.metadata.resourceVersion" }, data: { q: "2" } }),
  ],
  "dry run": [maps.merge("a", { data: { z: "1" } }, "dryRun=All"), maps.get("a")],
  "bad labels": [maps.merge("a", { metadata: { labels: { "a b": "c" } } })],
  "deletion times": [maps.merge("a", { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z", generation: 8 } })],
  "of a custom resource": [
    gadgets.create("a", { spec: { size: 1, words: ["a"] } }),
    gadgets.merge("a", { spec: { size: null, words: ["b", "c"], nested: { level: 4 } } }),
    gadgets.merge("a", { spec: { size: 0 } }),
    gadgets.merge("a", { spec: null }),
  ],
  "of lists replaces them": [
    deployments.create("d", { spec: deploymentSpec }),
    deployments.merge("d", { spec: { template: { spec: { containers: [{ name: "z", image: "z" }] } } } }),
  ],
});

export const patches: Sequence[] = [...strategic, ...strategicOthers, ...json, ...merge];
