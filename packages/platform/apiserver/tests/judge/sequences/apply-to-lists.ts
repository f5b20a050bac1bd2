import { gadgets } from "../fixtures.ts";
import { type Sequence, sequence } from "../sequence.ts";
import { deploymentSpec, deployments, maps, podSpec, pods, services } from "./kinds.ts";

const spec = (fields: object) => ({ spec: fields as never });
const owner = (name: string, step: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name,
  uid: `$${step}.metadata.uid`,
});
const container = (fields: object) => ({
  spec: {
    selector: { matchLabels: { app: "a" } },
    template: { metadata: { labels: { app: "a" } }, spec: { containers: [fields as never] } },
  },
});

/** Server-side apply of several managers to the lists and maps of built-in kinds and to statuses. */
export const applyToLists: Sequence[] = [
  sequence(
    "apply/labels of two managers",
    maps.apply("a", { metadata: { labels: { a: "1" } } }, "one"),
    maps.apply("a", { metadata: { labels: { b: "1" } } }, "two"),
    maps.apply("a", {}, "one"),
    maps.get("a"),
  ),
  sequence(
    "apply/annotations and finalizers",
    maps.apply("a", { metadata: { annotations: { a: "1" }, finalizers: ["a.b/c"] } }, "one"),
    maps.apply("a", { metadata: { finalizers: ["d.e/f"] } }, "two"),
    maps.apply("a", {}, "one"),
    maps.merge("a", { metadata: { finalizers: null } }),
  ),
  sequence(
    "apply/owner references merge by uid",
    maps.create("x"),
    maps.create("y"),
    maps.apply("a", { metadata: { ownerReferences: [owner("x", 1)] } }, "one"),
    maps.apply("a", { metadata: { ownerReferences: [owner("y", 2)] } }, "two"),
    maps.apply("a", {}, "one"),
  ),
  sequence(
    "apply/deployment",
    deployments.apply("a", container({ name: "main", image: "nginx" })),
    deployments.apply("a", container({ name: "main", image: "nginx:2" })),
    deployments.get("a"),
  ),
  sequence(
    "apply/containers of two managers",
    deployments.apply("a", container({ name: "main", image: "nginx" }), "one"),
    deployments.apply(
      "a",
      { spec: { template: { spec: { containers: [{ name: "side", image: "busybox" }] } } } },
      "two",
    ),
    deployments.apply("a", { spec: { template: { spec: { containers: [{ name: "main", image: "other" }] } } } }, "two"),
    deployments.get("a"),
  ),
  sequence(
    "apply/env of two managers",
    deployments.apply("a", container({ name: "main", image: "nginx", env: [{ name: "A", value: "1" }] }), "one"),
    deployments.apply(
      "a",
      { spec: { template: { spec: { containers: [{ name: "main", env: [{ name: "B", value: "2" }] }] } } } },
      "two",
    ),
    deployments.apply("a", container({ name: "main", image: "nginx" }), "one"),
  ),
  sequence(
    "apply/ports with defaulted key",
    deployments.apply("a", container({ name: "main", image: "nginx", ports: [{ containerPort: 80 }] }), "one"),
    deployments.apply(
      "a",
      container({ name: "main", image: "nginx", ports: [{ containerPort: 80, protocol: "UDP" }] }),
      "one",
    ),
    deployments.get("a"),
  ),
  sequence(
    "apply/duplicate list-map item",
    deployments.apply(
      "a",
      container({ name: "main", image: "nginx", ports: [{ containerPort: 80 }, { containerPort: 80 }] }),
    ),
  ),
  sequence("apply/list-map item without key", deployments.apply("a", container({ image: "nginx" }))),
  sequence(
    "apply/replicas handed over",
    deployments.apply("a", { spec: { ...deploymentSpec, replicas: 3 } }, "one"),
    deployments.merge("a/scale", { spec: { replicas: 5 } }, "fieldManager=scaler"),
    deployments.apply("a", { spec: { ...deploymentSpec, replicas: 3 } }, "one"),
    deployments.apply("a", { spec: deploymentSpec }, "one"),
    deployments.get("a"),
  ),
  sequence(
    "apply/atomic selector",
    deployments.apply("a", { spec: deploymentSpec }, "one"),
    deployments.apply("a", { spec: { selector: { matchLabels: { app: "a", b: "c" } } } }, "two"),
  ),
  sequence(
    "apply/service ports",
    services.apply("a", spec({ ports: [{ port: 80, name: "http" }] }), "one"),
    services.apply("a", spec({ ports: [{ port: 443, name: "https" }] }), "two"),
    services.apply("a", spec({ ports: [{ port: 80, name: "http", targetPort: 8080 }] }), "one"),
    services.apply("a", spec({}), "one"),
  ),
  sequence(
    "apply/pod",
    pods.apply("a", { spec: podSpec }),
    pods.apply("a", { spec: { containers: [{ name: "main", image: "nginx:2" }] } }),
    pods.apply("a", { spec: { containers: [{ name: "main", image: "nginx:2" }], nodeName: "x" } }),
  ),
  sequence(
    "apply/dry run",
    maps.apply("a", { data: { a: "1" } }, "one", "dryRun=All"),
    maps.get("a"),
    maps.apply("a", { data: { a: "1" } }),
    maps.apply("a", { data: { a: "2" } }, "one", "dryRun=All"),
    maps.get("a"),
  ),
  sequence(
    "apply/status through the main path",
    deployments.apply("a", { spec: deploymentSpec, status: { replicas: 7 } }),
    deployments.get("a"),
  ),
  sequence(
    "apply/status through its own path",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.apply("a/status", { status: { replicas: 7 } }),
    deployments.apply("a/status", { spec: { replicas: 9 }, status: { replicas: 8 } }),
    deployments.get("a"),
  ),
  sequence(
    "apply/status of an absent object",
    deployments.apply("a/status", { status: { replicas: 7 } }),
    gadgets.apply("a/status", { status: { replicas: 7 } }),
  ),
  sequence(
    "apply/conditions of two managers",
    gadgets.apply("a", {}),
    gadgets.apply("a/status", { status: { conditions: [{ type: "A", status: "True" }] } }, "one"),
    gadgets.apply("a/status", { status: { conditions: [{ type: "B", status: "True" }] } }, "two"),
    gadgets.apply("a/status", { status: {} }, "one"),
    gadgets.get("a"),
  ),
  sequence("apply/custom: create", gadgets.apply("a", spec({ size: 3 })), gadgets.get("a")),
];
