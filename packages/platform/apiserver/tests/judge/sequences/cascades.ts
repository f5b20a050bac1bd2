import { gadgets } from "../fixtures.ts";
import { call, type Sequence, type Step, sequence, type WaitStep } from "../sequence.ts";
import { deploymentSpec, deployments, maps, namespaces, secrets } from "./kinds.ts";
import { quotaSequences } from "./limits.ts";

/**
 * What becomes of dependants and of namespaces. Only a server with controllers carries these out, so they are judged against one.
 * Waits bring both servers to their end; the reads after them are what is compared.
 */
const policies = ["Background", "Foreground", "Orphan"] as const;
const isGone: WaitStep["until"] = (status) => status === 404;
const isFree: WaitStep["until"] = (_, body) => !JSON.stringify(body).includes("ownerReferences");
const isLeaving: WaitStep["until"] = (_, body) => JSON.stringify(body).includes("deletionTimestamp");

/** A reference to what the first step made. */
const ownedBy = (kind: string, apiVersion = "v1", step = 1, rest = {}) => ({
  metadata: {
    ownerReferences: [{ apiVersion, kind, name: `$${step}.metadata.name`, uid: `$${step}.metadata.uid`, ...rest }],
  },
});
const child = ownedBy("ConfigMap");
const blocking = ownedBy("ConfigMap", "v1", 1, { blockOwnerDeletion: true });
const held = { finalizers: ["judge.example/hold"] };
const free = (name: string): Step => maps.merge(name, { metadata: { finalizers: null } });
const everything = [maps.list("fieldSelector=metadata.name%21%3Dkube-root-ca.crt"), secrets.list()];
const end = (policy: string) => (policy === "Orphan" ? isFree : isGone);

const ofPolicies: Sequence[] = policies.flatMap((policy) => [
  sequence(
    `cascade/${policy}: one dependant`,
    maps.create("owner"),
    maps.create("child", child),
    maps.remove("owner", { propagationPolicy: policy }),
    maps.wait("owner", isGone),
    maps.wait("child", end(policy)),
    ...everything,
  ),
  sequence(
    `cascade/${policy}: dependants that block, of two kinds`,
    maps.create("owner"),
    maps.create("child", blocking),
    secrets.create("other", blocking),
    maps.remove("owner", { propagationPolicy: policy }),
    maps.wait("owner", isGone),
    maps.wait("child", end(policy)),
    secrets.wait("other", end(policy)),
    ...everything,
  ),
  sequence(
    `cascade/${policy}: a grandchild`,
    maps.create("owner"),
    maps.create("child", blocking),
    maps.create("grandchild", ownedBy("ConfigMap", "v1", 2, { blockOwnerDeletion: true })),
    maps.remove("owner", { propagationPolicy: policy }),
    maps.wait("owner", isGone),
    maps.wait("child", end(policy)),
    ...(policy === "Orphan" ? [] : [maps.wait("grandchild", isGone)]),
    ...everything,
  ),
  sequence(
    `cascade/${policy}: a custom object`,
    gadgets.create("owner", { spec: {} }),
    maps.create("child", ownedBy("Gadget", gadgets.apiVersion)),
    gadgets.remove("owner", { propagationPolicy: policy }),
    // A real garbage collector looks for new kinds every half minute.
    { ...gadgets.wait("owner", isGone), patience: 180_000 },
    { ...maps.wait("child", end(policy)), patience: 180_000 },
    ...everything,
  ),
  sequence(
    `cascade/${policy}: a dependant with another owner that stays`,
    maps.create("owner"),
    maps.create("second"),
    maps.create("child", {
      metadata: {
        ownerReferences: [1, 2].map((step) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          name: `$${step}.metadata.name`,
          uid: `$${step}.metadata.uid`,
        })),
      },
    }),
    maps.remove("owner", { propagationPolicy: policy }),
    maps.wait("owner", isGone),
    maps.wait("child", (_, body) => !JSON.stringify(body).includes('"name":"owner"')),
    ...everything,
  ),
]);

const holding: Sequence[] = [
  sequence(
    "cascade/Foreground waits for a dependant that is held",
    maps.create("owner"),
    maps.create("child", { metadata: { ...blocking.metadata, ...held } }),
    maps.remove("owner", { propagationPolicy: "Foreground" }),
    maps.wait("child", isLeaving),
    maps.get("owner"),
    free("child"),
    maps.wait("owner", isGone),
    ...everything,
  ),
  sequence(
    "cascade/Foreground does not wait for one that does not block",
    maps.create("owner"),
    maps.create("child", { metadata: { ...child.metadata, ...held } }),
    maps.remove("owner", { propagationPolicy: "Foreground" }),
    maps.wait("owner", isGone),
    maps.wait("child", isLeaving),
    maps.get("child"),
    free("child"),
    maps.wait("child", isGone),
  ),
  sequence(
    "cascade/a dependant of an owner that is gone",
    maps.create("owner"),
    maps.remove("owner"),
    maps.create("child", child),
    maps.wait("child", isGone),
    ...everything,
  ),
  sequence(
    "cascade/an owner of the same name and another uid",
    maps.create("owner"),
    maps.remove("owner"),
    maps.create("owner"),
    maps.create("child", child),
    maps.wait("child", isGone),
    ...everything,
  ),
  sequence(
    "cascade/Orphan while the owner is held",
    maps.create("owner", { metadata: held }),
    maps.create("child", child),
    maps.remove("owner", { propagationPolicy: "Orphan" }),
    maps.wait("child", isFree),
    maps.wait("owner", (_, body) => !JSON.stringify(body).includes('"orphan"')),
    maps.get("owner"),
    free("owner"),
    ...everything,
  ),
];

const inside = (resource: string, name = "", group = "api/v1"): string =>
  `/${group}/namespaces/{id}/${resource}${name === "" ? "" : `/${name}`}`;
const untilNamespaceGone = namespaces.wait("{id}", isGone);
const ofNamespaces: Sequence[] = [
  sequence(
    "namespace/empty",
    namespaces.create("{id}"),
    namespaces.remove("{id}"),
    untilNamespaceGone,
    namespaces.get("{id}"),
  ),
  sequence(
    "namespace/with contents of many kinds",
    namespaces.create("{id}"),
    call("POST", inside("configmaps"), maps.object("a")),
    call("POST", inside("secrets"), secrets.object("a")),
    call(
      "POST",
      inside("deployments", "", "apis/apps/v1"),
      deployments.object("a", { spec: { ...deploymentSpec, replicas: 0 } }),
    ),
    call("POST", inside("gadgets", "", `apis/${gadgets.apiVersion}`), gadgets.object("a", { spec: {} })),
    namespaces.remove("{id}"),
    untilNamespaceGone,
    call("GET", inside("configmaps")),
    call("GET", inside("gadgets", "", `apis/${gadgets.apiVersion}`)),
  ),
  sequence(
    "namespace/held by an object with a finalizer",
    namespaces.create("{id}"),
    call("POST", inside("configmaps"), maps.object("a", { metadata: held })),
    namespaces.remove("{id}"),
    namespaces.wait("{id}", (_, body) => JSON.stringify(body).includes('"SomeFinalizersRemain"')),
    namespaces.get("{id}"),
    call("POST", inside("configmaps"), maps.object("b")),
    call(
      "PATCH",
      inside("configmaps", "a"),
      { metadata: { finalizers: null } },
      { "content-type": "application/merge-patch+json" },
    ),
    // A real one looks again only after a pause that grows.
    { ...untilNamespaceGone, patience: 180_000 },
    namespaces.get("{id}"),
  ),
];

export const cascades: readonly Sequence[] = [...ofPolicies, ...holding, ...ofNamespaces, ...quotaSequences];
