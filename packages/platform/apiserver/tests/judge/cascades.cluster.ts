import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startControlPlane } from "../../../../../tools/cluster/control-plane.ts";
import { cascades } from "./sequences/cascades.ts";
import { judgeAll, openSuite } from "./suite.ts";

const wanted = process.env.JUDGE_ONLY ?? "";
const chosen = cascades.filter(({ name }) => name.includes(wanted));
const plane = await startControlPlane();
const skip = typeof plane === "string" ? plane : false;
if (typeof plane !== "string") after(() => plane.stop());

test(`${chosen.length} cascades end alike where controllers run`, { skip }, async () => {
  if (typeof plane === "string") return;
  const { reports } = await judgeAll(chosen, await openSuite(plane.kubeconfig));
  assert.equal(reports.length, 0, `\n${reports.join("\n")}`);
});
