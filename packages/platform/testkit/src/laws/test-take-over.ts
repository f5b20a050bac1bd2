import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdoptPolicy } from "@trivium/runtime";
import { nameOfObject } from "./growth.ts";
import {
  type FreshInstallation,
  installFresh,
  keyOf,
  leaveAsUpstream,
  openServices,
  runOperator,
  templatesOf,
  usedUnchanged,
  writtenKinds,
} from "./take-over-world.ts";
import { type ManyServices, growthNamespace as namespace } from "./test-growth.ts";
import { testRandomTakeOver } from "./test-random-take-over.ts";
import { asUpstream, childrenIn, comparable, type KindedObject, upstreamManager } from "./upstream-copy.ts";

/**
 * **Take-over**: what another operator has left ends, with `all`, in the same children as a fresh installation; with `safe` no pod template
 * changes, and a later edit of the service brings exactly our pods. Then the same for random services and random leftovers.
 */
export function testTakeOver(dialect: ManyServices): void {
  test("take-over: with `all` the children are those of a fresh installation", async () => {
    const fresh = await installFresh(dialect);
    const { children, managers } = await takenOver(dialect, fresh, "all");
    const judged = children.filter(({ kind }) => !usedUnchanged.has(kind.kind));
    const wanted = fresh.children.filter(({ kind }) => !usedUnchanged.has(kind.kind));
    assert.deepEqual(judged.map(comparable), wanted.map(comparable));
    assert.deepEqual(managers, []);
  });

  test("take-over: with `safe` no pod restarts, and an edit of a service brings our pods without leftovers", async () => {
    const fresh = await installFresh(dialect);
    const { before, children, edited, managers } = await takenOver(dialect, fresh, "safe");
    assert.deepEqual(templatesOf(children), templatesOf(before));
    assert.deepEqual(managers, []);
    const name = nameOfObject(0);
    const ours = templatesOf(edited).filter(([key]) => key.includes(name));
    assert.ok(ours.length > 0);
    assert.ok(!JSON.stringify(ours).includes("upstream"), JSON.stringify(ours));
  });

  testRandomTakeOver(dialect);
}

interface TakenOver {
  readonly before: readonly KindedObject[];
  readonly children: readonly KindedObject[];
  /** After an edit of the first service that changes its pods. */
  readonly edited: readonly KindedObject[];
  /** Children that still have fields of the other operator. */
  readonly managers: readonly string[];
}

async function takenOver(dialect: ManyServices, fresh: FreshInstallation, adopt: AdoptPolicy): Promise<TakenOver> {
  const cluster = await openServices(dialect);
  const { client } = cluster;
  const kinds = writtenKinds(dialect);
  await leaveAsUpstream(dialect, client, { fresh, copy: asUpstream });
  const before = await childrenIn(client, kinds);
  const world = await runOperator(dialect, cluster, { adopt });
  const children = await childrenIn(client, kinds);
  const { kind, body } = dialect.restart ?? dialect.edit;
  await client.patch(kind, { namespace, name: nameOfObject(0) }, { type: "merge", body });
  await world.settle();
  await world.elapse(5_000);
  const edited = await childrenIn(client, kinds);
  await world.stop();
  await cluster.close();
  return { before, children, edited, managers: children.filter(isUpstreams).map(keyOf) };
}

function isUpstreams({ kind, object }: KindedObject): boolean {
  if (usedUnchanged.has(kind.kind)) return false;
  return object.metadata.managedFields?.some(({ manager }) => manager === upstreamManager.fieldManager) ?? false;
}
