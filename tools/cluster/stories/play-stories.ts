import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { type CustomResourceDefinition, emitCrd, groupResourceOf, type KubeClient } from "@trivium/kube";
import type { Dialect } from "@trivium/reconcile";
import { clusterBackend, type ModelStoreFactory, type Operator, playStory, type Story } from "@trivium/testkit";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { installDefinitions } from "../install-definitions.ts";
import { findDifferences, findUnproven, type OtherUses } from "../rights/differences.ts";
import { type OperatorAccount, openOperatorAccount } from "../rights/operator-account.ts";
import type { Right } from "../rights/right.ts";

export interface StoriesOnCluster {
  readonly dialect: Dialect;
  readonly stories: readonly Story[];
  /** Definitions of other projects that every story has. */
  readonly definitions: () => readonly CustomResourceDefinition[];
  /** Those that one story has besides. They stay once they are installed, so such stories come last. */
  readonly definitionsOf?: (story: Story) => readonly CustomResourceDefinition[];
  readonly operator: Operator;
  readonly modelStore?: ModelStoreFactory;
  /** Rights that are granted although no story uses them; left out where the two are not compared. */
  readonly otherUses?: OtherUses;
}

/** What only an operator in a pod of a real node does. */
const usedOnNodes: OtherUses = {
  "get pods/log": "staged containers have no kubelet; tools/cluster/e2e",
  "create tokenreviews.authentication.k8s.io": "metrics behind authentication; tools/cluster/e2e",
  "create subjectaccessreviews.authorization.k8s.io": "metrics behind authentication; tools/cluster/e2e",
};

/** Stories have no upstream operator to take over from; what its objects need in a story all the same is used. */
function takeOverUses({ reconcilers }: Dialect, used: ReadonlySet<Right>): OtherUses {
  const rights = reconcilers.flatMap(({ kind, upstream }) =>
    upstream === undefined ? [] : [`patch ${groupResourceOf(kind)}`, "list leases.coordination.k8s.io"],
  );
  const idle = rights.filter((right) => !used.has(right));
  return Object.fromEntries(
    idle.map((right) => [right, "objects of an upstream operator; runtime/tests/adopt.test.ts"]),
  );
}

/**
 * Plays stories on a real control plane, one after the other. The operator is the ServiceAccount of the chart: what the chart does
 * not grant is refused, and what it grants without need fails the last test.
 */
export async function playOnControlPlane(options: StoriesOnCluster): Promise<void> {
  const { dialect, stories, definitions, definitionsOf = () => [], operator, modelStore } = options;
  const plane = await startControlPlane();
  const skip = typeof plane === "string" ? plane : false;
  describe("stories on a real control plane", { skip }, () => {
    const { kubeconfig, stop } = plane as ControlPlane;
    let transport: HttpTransport;
    let client: KubeClient;
    let account: OperatorAccount;

    before(async () => {
      transport = httpTransport(await loadKubeconfig(kubeconfig));
      client = createClient(transport);
      await installDefinitions(client, [...dialect.kinds.map((kind) => emitCrd(kind)), ...definitions()]);
      account = await openOperatorAccount(kubeconfig, dialect);
    });

    after(async () => {
      await account?.close();
      await transport?.close();
      await stop();
    });

    for (const story of stories) {
      test(`${story.name}: ${story.given.about}`, async () => {
        await installDefinitions(client, definitionsOf(story));
        const errors: string[] = [];
        const onError = (message: string, fields: object) =>
          errors.push(`${message} ${Object.values(fields).join(" ")}`);
        const stores = modelStore === undefined ? {} : { modelStore };
        const backend = clusterBackend({ client, operatorClient: account.client, operator, onError, ...stores });
        await playStory(story, backend);
        assert.deepEqual(errors, []);
      });
    }

    const isPart =
      ((process.env.STORY ?? "") !== "" || options.otherUses === undefined) && "only a part of the stories was played";
    test("the chart grants exactly the rights that are used", { skip: isPart }, () => {
      const otherUses = { ...usedOnNodes, ...takeOverUses(dialect, account.used), ...options.otherUses };
      assert.deepEqual(findDifferences(account, otherUses), { unused: [], missing: [], needless: [] });
      const folder = join(import.meta.dirname, "../../../packages/dialects", dialect.name);
      assert.deepEqual(findUnproven(options.otherUses ?? {}, [join(folder, "src"), join(folder, "tests")]), []);
    });
  });
}
