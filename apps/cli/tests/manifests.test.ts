import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { ownProgram, startCluster } from "@trivium/testkit";
import { parseAllDocuments } from "yaml";
import { checkEmitted } from "../../../tools/cluster/third-party/check-emitted.ts";

const [node = "", ...program] = ownProgram("trivium", new URL("../src/main.ts", import.meta.url));

function manifests(...args: string[]): AnyObject[] {
  const { status, stdout, stderr } = spawnSync(node, [...program, "manifests", ...args], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return parseAllDocuments(stdout).map((each) => each.toJS() as AnyObject);
}

const nameOf = ({ kind, metadata }: AnyObject): string => `${kind} ${metadata.name}`;

test("the objects of an installation are right to the letter", async (t) => {
  const cluster = await startCluster();
  t.after(() => cluster.close());
  assert.deepEqual(await checkEmitted(cluster.client, manifests()), []);
});

test("one dialect brings only its own rights and no agent", () => {
  const names = manifests("--dialects", "llmkube").map(nameOf);
  assert.ok(names.includes("ClusterRole trivium-operator-llmkube"));
  assert.deepEqual(
    names.filter((name) => /aim|ome\b|node-agent/.test(name)),
    [],
  );
});

test("with one namespace, rights to namespaced kinds hold only there", () => {
  const objects = manifests("--watch-namespace", "team-a", "--dialects", "llmkube");
  const wide = objects.find((each) => nameOf(each) === "ClusterRole trivium-operator-llmkube") as unknown as {
    rules: { resources: string[] }[];
  };
  const resources = wide.rules.flatMap((rule) => rule.resources);
  assert.ok(!resources.includes("pods") && !resources.includes("secrets"), resources.join());
  assert.ok(
    objects.some((each) => nameOf(each) === "Role trivium-operator-llmkube" && each.metadata.namespace === "team-a"),
  );
});

test("no account can list Secrets, and all pods but the agent's are restricted", () => {
  const objects = manifests();
  for (const each of objects) {
    for (const rule of (
      each as unknown as { rules?: { resources?: string[]; verbs: string[]; resourceNames?: string[] }[] }
    ).rules ?? []) {
      if (rule.resources?.includes("secrets") && rule.resourceNames === undefined)
        assert.deepEqual(rule.verbs, ["get"], nameOf(each));
    }
  }
  const deployments = objects.filter(({ kind }) => kind === "Deployment") as unknown as {
    spec: { template: { spec: { securityContext: object; containers: { securityContext: object }[] } } };
  }[];
  assert.equal(deployments.length, 2);
  for (const { spec } of deployments) {
    assert.deepEqual(spec.template.spec.securityContext, {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    });
    for (const { securityContext } of spec.template.spec.containers)
      assert.deepEqual(securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
  }
});

test("a value that the chart does not have, or that is of another type, is refused", () => {
  for (const [chosen, expected] of [
    ["operator.replica=1", /^error: "operator.replica" is not a value of the chart/],
    ["gateway.enabled=perhaps", /^error: --set gateway.enabled=perhaps: expected true or false$/m],
    ["operator.replicas=two", /^error: --set operator.replicas=two: expected a whole number$/m],
    ["image.pullPolicy=Often", /^error: --set image.pullPolicy=Often: expected one of Always, IfNotPresent, Never$/m],
    ["operator.args=--qps=7", /^error: --set operator.args=--qps=7: expected a JSON array of strings$/m],
    ['dialects=["kserve"]', /expected a JSON array of aim, aim-eai, ome, llmkube$/m],
  ] as const) {
    const { status, stderr } = spawnSync(node, [...program, "manifests", "--set", chosen], { encoding: "utf8" });
    assert.equal(status, 1, chosen);
    assert.match(stderr, expected);
  }
});

test("a tag that looks like a number stays as it is, and --set chooses dialects too", () => {
  const objects = manifests("--set", "image.tag=1.10", "--set", 'dialects=["llmkube"]');
  assert.match(JSON.stringify(objects), /trivium-operator:1\.10"/);
  assert.ok(!objects.some((each) => nameOf(each) === "ClusterRole trivium-operator-aim"));
});
