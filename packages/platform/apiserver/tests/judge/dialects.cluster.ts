import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "@trivium/std";
import { definitions, installDefinitions } from "./fixtures.ts";
import { objectsOf, readDefinitions } from "./manifests.ts";
import { post } from "./servers.ts";
import { judgeAll, openSuite } from "./suite.ts";

const crds = readDefinitions();
const nameOf = (crd: JsonObject): string => String((crd.metadata as JsonObject).name);

test(`our ${crds.length} CRDs and objects of their kinds`, async (context) => {
  const servers = await openSuite();

  await context.test("every CRD is taken without a warning and established", async () => {
    for (const crd of crds) {
      const { headers } = await post(servers.real, definitions, crd);
      assert.equal(headers.warning, undefined, `${nameOf(crd)}: ${String(headers.warning)}`);
    }
    await Promise.all([servers.real, servers.embedded].map((transport) => installDefinitions(transport, crds)));
    for (const crd of crds) {
      const path = `${definitions}/${nameOf(crd)}`;
      const { body } = await servers.real({ method: "GET", path, headers: { accept: "application/json" } });
      const { status } = JSON.parse(String(body)) as { status: { conditions: { type: string; status: string }[] } };
      const established = status.conditions.find(({ type }) => type === "Established");
      assert.equal(established?.status, "True", nameOf(crd));
    }
  });

  const objects = crds.flatMap((crd) => objectsOf(crd, 10));
  await context.test(`${objects.length} objects get the same verdict, defaults and error paths`, async () => {
    assert.ok(objects.length >= 200);
    const { reports } = await judgeAll(objects, servers);
    assert.equal(reports.length, 0, `\n${reports.join("\n")}`);
  });
});
