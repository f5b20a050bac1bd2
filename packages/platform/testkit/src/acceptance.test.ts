import assert from "node:assert/strict";
import { test } from "node:test";
import { readAcceptance } from "./acceptance.ts";

const page = `
| A9 | elsewhere | \`service/elsewhere\` |

## Acceptance

| Row | Scenario | Covered by |
|---|---|---|
| A1 | one | \`service/one\`, \`dialects/x/src/y.test.ts\` |
| A2 | two | in \`spec.model\`, somehow |
| A3 | a \\| b | no: it needs a moon |
| B1 | a room that nobody knows | \`servce/one\` |
| another table | \`service/two\` |

## After

| A8 | elsewhere | \`service/elsewhere\` |
`;

test("a row names what covers it, or says why nothing does; everything else is found out", () => {
  const patterns = { service: "cases/*.yaml" };
  assert.deepEqual(readAcceptance({ page, parts: { A: 4, B: 1 }, patterns }), {
    wanted: ["A1", "A2", "A3", "A4", "B1"],
    listed: ["A1", "A2", "A3", "B1"],
    silent: ["A2"],
    places: ["cases/one.yaml", "packages/dialects/x/src/y.test.ts", "servce/one", "cases/two.yaml"],
  });
});
