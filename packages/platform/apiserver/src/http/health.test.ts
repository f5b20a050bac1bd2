import assert from "node:assert/strict";
import { it } from "node:test";
import { answerHealth, type HealthCheck } from "./health.ts";

const checks = (isReady: boolean): HealthCheck[] => [
  { name: "storage", of: "live", isWell: () => true },
  { name: "controllers", of: "ready", isWell: () => isReady },
];

it("a server that is not ready yet is alive", () => {
  assert.equal(answerHealth("/livez", checks(false))?.status, 200);
  assert.equal(answerHealth("/healthz", checks(false))?.body, "ok");
  assert.deepEqual(answerHealth("/readyz", checks(false)), {
    status: 500,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body: "[+]ping ok\n[+]storage ok\n[-]controllers failed: reason withheld\nreadyz check failed\n",
  });
  assert.equal(answerHealth("/readyz", checks(true))?.body, "ok");
});

it("the long forms have a kube-apiserver's words", () => {
  assert.equal(
    answerHealth("/readyz?verbose&exclude=controllers", checks(false))?.body,
    "[+]ping ok\n[+]storage ok\n[+]controllers excluded: ok\nreadyz check passed\n",
  );
  assert.equal(answerHealth("/livez?verbose", [])?.body, "[+]ping ok\nlivez check passed\n");
  assert.equal(answerHealth("/readyz/controllers", checks(false))?.status, 500);
  assert.equal(answerHealth("/livez/controllers", checks(false))?.status, 404);
  assert.equal(answerHealth("/readyz/ping", [])?.body, "ok");
});

it("only health endpoints are answered", () => {
  for (const path of ["/", "/healthzz", "/api/healthz", "/readyzfoo?verbose"])
    assert.equal(answerHealth(path, []), undefined);
});
