import { gadgets } from "../fixtures.ts";
import { type Sequence, sequence } from "../sequence.ts";
import { family } from "./family.ts";
import { deployments, podSpec, pods, services } from "./kinds.ts";

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
const ofDeployments = family("strategic/deployment", deployment, {
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

const ofOthers = [
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

const ports = (...given: object[]) => inTemplate({ containers: [{ name: "main", image: "i:1", ports: given }] });

const ofTwins: Sequence[] = [
  sequence(
    "strategic/ports of one number",
    deployments.apply("a", {
      spec: {
        selector: { matchLabels: { app: "a" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: {
            containers: [
              { name: "main", image: "i:1", ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] },
            ],
          },
        },
      },
    }),
    deployments.strategic("a", ports({ containerPort: 80, protocol: "UDP" })),
    deployments.get("a"),
  ),
];

export const strategic: Sequence[] = [...ofDeployments, ...ofOthers, ...ofTwins];
