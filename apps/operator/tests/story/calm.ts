import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ConfigMap, Deployment, Lease } from "@trivium/kube";
import { Sample, sample } from "@trivium/testkit";
import { assertInOrder, edit, inSampleNamespace, paint, readyOf, ref } from "./beds.ts";
import type { OperatorProcess } from "./operator-process.ts";
import type { Stage } from "./stage.ts";
import { until } from "./until.ts";

/** Writes of one object that one change may cost. */
const maxWrites = 5;

/** What an operator does for a living when nothing goes wrong: every write is wanted, and there are few. */
export async function playCalm(t: TestContext, stage: Stage): Promise<void> {
  const {
    client,
    server: { quiet },
  } = stage;
  await stage.grant(["--install-crds"]);
  const first = stage.start("first", ["--install-crds"]);
  await first.ready();
  await until(() => assertLeader(stage, "first"));
  const second = stage.start("second");
  stage.takeWrites();

  await t.test("what is missing is named, and its coming wakes the sample", async () => {
    await client.create(Sample, inSampleNamespace(sample("a")));
    await until(async () => assert.equal((await readyOf(client, "a"))?.reason, "NoPalette"));
    await paint(client, "red");
    await until(() => assertInOrder(stage));
    await stage.rest(quiet);
    assert.deepEqual(stage.takeWrites().sort(), [
      "PATCH /api/v1/namespaces/garden/configmaps/a-0",
      "PATCH /api/v1/namespaces/garden/configmaps/a-1",
      "PATCH /apis/apps/v1/namespaces/garden/deployments/a-vase",
      "PATCH /apis/garden.example/v1/namespaces/garden/samples/a",
      "PATCH /apis/garden.example/v1/namespaces/garden/samples/a/status",
      "PATCH /apis/garden.example/v1/namespaces/garden/samples/a/status",
      "POST /api/v1/namespaces/garden/events",
      "POST /api/v1/namespaces/garden/events",
    ]);
  });

  await t.test("a change of the sample, of what it reads and of a child each end in what is wanted", async () => {
    await client.create(Sample, inSampleNamespace(sample("b", { flowers: 1, card: "for you" })));
    await edit(client, "a", { flowers: 3 });
    await until(() => assertInOrder(stage));
    await paint(client, "white");
    await client.delete(ConfigMap, ref("a-0"));
    const image = [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "theirs" }] as const;
    await client.patch(Deployment, ref("b-vase"), { type: "json", body: image });
    await until(() => assertInOrder(stage));
    await stage.rest(quiet);
    assertFewWrites(stage.takeWrites());
  });

  await t.test("what is no longer wanted goes, and nothing else", async () => {
    await edit(client, "a", { flowers: 1 });
    await until(() => assertInOrder(stage));
    await stage.rest(quiet);
    const writes = stage.takeWrites();
    assert.deepEqual(writes.filter((write) => write.startsWith("DELETE")).sort(), [
      "DELETE /api/v1/namespaces/garden/configmaps/a-1",
      "DELETE /api/v1/namespaces/garden/configmaps/a-2",
    ]);
    assertFewWrites(writes);
  });

  await t.test("a finalizer holds the sample until it is released", async () => {
    const guard = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...ref("guard"), labels: { guard: "yes" } } };
    await client.create(ConfigMap, guard);
    await until(() => client.get(ConfigMap, ref("guard")));
    await client.delete(Sample, ref("a"));
    await until(async () => assert.equal((await readyOf(client, "a"))?.message, "Guarded by guard"));
    await client.delete(ConfigMap, ref("guard"));
    await until(() => assert.rejects(client.get(Sample, ref("a")), { reason: "NotFound" }));
    await until(() => assertInOrder(stage));
    await stage.rest(quiet);
    assertFewWrites(stage.takeWrites());
  });

  await t.test(
    "the leader stops, gives the Lease back, and the next one goes on without repeating anything",
    async () => {
      await second.ready();
      assert.equal(await first.end("SIGTERM"), 0, first.errors());
      await until(() => assertLeader(stage, "second"));
      await stage.rest(quiet);
      assert.deepEqual(stage.takeWrites(), []);
      await edit(client, "b", { flowers: 2 });
      await until(() => assertInOrder(stage));
    },
  );

  let third: OperatorProcess;
  await t.test("a restart writes nothing", async () => {
    await stage.rest(quiet);
    assert.equal(await second.end("SIGINT"), 0, second.errors());
    stage.takeWrites();
    third = stage.start("third");
    await third.ready();
    await until(() => assertLeader(stage, "third"));
    await stage.rest(quiet);
    assert.deepEqual(stage.takeWrites(), []);
  });

  await t.test("with the last sample everything goes but what outlives it", async () => {
    await client.delete(Sample, ref("b"));
    await until(() => assert.rejects(client.get(Sample, ref("b")), { reason: "NotFound" }));
    await until(() => assertInOrder(stage));
    assert.deepEqual((await client.get(ConfigMap, ref("b-card"))).data, { text: "for you" });
    assert.equal(await third.end("SIGTERM"), 0, third.errors());
    assertNoComplaints([first, second, third]);
  });
}

async function assertLeader({ client }: Stage, identity: string): Promise<void> {
  const { spec } = await client.get(Lease, ref("trivium-operator"));
  assert.equal(spec?.holderIdentity, identity);
}

function assertFewWrites(writes: readonly string[]): void {
  const objects = writes
    .filter((write) => !write.startsWith("POST"))
    .map((write) => write.replace(/^\w+ /, "").replace(/\/status$/, ""));
  for (const [object, each] of Map.groupBy(objects, (path) => path)) {
    assert.ok(each.length <= maxWrites, `${object} was written ${each.length} times`);
  }
}

function assertNoComplaints(operators: readonly OperatorProcess[]): void {
  const lines = operators.flatMap((operator) => operator.lines());
  assert.deepEqual(
    lines.filter(({ level }) => level !== "info"),
    [],
  );
}
