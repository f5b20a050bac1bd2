import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeClient } from "@trivium/kube";
import { createMetricsAccess } from "./metrics-access.ts";

interface Sent {
  readonly kind: string;
  readonly spec: { readonly token?: string; readonly user?: string; readonly groups?: readonly string[] };
}

/** A cluster that knows the token "good" of account prometheus, and who can read metrics. */
function cluster({ canRead = true, isDown = false } = {}) {
  const sent: Sent[] = [];
  const create = async (_: unknown, object: Sent): Promise<unknown> => {
    sent.push(object);
    if (isDown) throw new Error("no answer");
    const user = { username: "prometheus", groups: ["system:authenticated"] };
    if (object.kind === "SubjectAccessReview") return { ...object, status: { allowed: canRead } };
    return { ...object, status: object.spec.token === "good" ? { authenticated: true, user } : { error: "no" } };
  };
  return { sent, client: { create } as unknown as KubeClient };
}

test("an account that can get /metrics reads them; the cluster is asked once a minute", async () => {
  const { client, sent } = cluster();
  let now = 0;
  const access = createMetricsAccess(client, () => now);
  for (let at = 0; at < 5; at += 1) assert.equal((await access("Bearer good")).status, 200);
  assert.deepEqual(
    sent.map(({ kind, spec }) => [kind, spec.user]),
    [
      ["TokenReview", undefined],
      ["SubjectAccessReview", "prometheus"],
    ],
  );
  now = 61_000;
  await access("Bearer good");
  assert.equal(sent.length, 4);
});

test("without a token, with a wrong one or without the right nothing is read", async () => {
  const { client, sent } = cluster();
  const access = createMetricsAccess(client, () => 0);
  for (const header of [undefined, "", "Basic Z29vZA==", "Bearer ", "Bearer a b", `Bearer ${"x".repeat(9_000)}`])
    assert.equal((await access(header)).status, 401, header);
  assert.equal(sent.length, 0, "the cluster is not asked");
  assert.equal((await access("Bearer bad")).status, 401);
  const forbidden = createMetricsAccess(cluster({ canRead: false }).client, () => 0);
  assert.equal((await forbidden("Bearer good")).status, 403);
});

test("a cluster that does not answer opens nothing, and is asked again", async () => {
  const { client, sent } = cluster({ isDown: true });
  const access = createMetricsAccess(client, () => 0);
  assert.equal((await access("Bearer good")).status, 503);
  assert.equal((await access("Bearer good")).status, 503);
  assert.equal(sent.length, 2);
});

test("tokens of strangers do not fill the memory, and no answer repeats one", async () => {
  const access = createMetricsAccess(cluster().client, () => 0);
  for (let at = 0; at < 1_000; at += 1) {
    const { message } = await access(`Bearer secret-${at}`);
    assert.doesNotMatch(message, /secret/);
  }
});
