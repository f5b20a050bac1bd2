import assert from "node:assert/strict";
import { test } from "node:test";
import { splitRoleOptions } from "./role-options.ts";

const rows: readonly (readonly [args: readonly string[], ofRole: readonly string[]])[] = [
  [[], []],
  [
    ["--disaggregation-mode=prefill", "--disaggregation-ib-device", "mlx5_0"],
    ["--disaggregation-mode=prefill", "--disaggregation-ib-device", "mlx5_0"],
  ],
  [
    ["--tp", "2", "--disaggregation-mode", "decode"],
    ["--disaggregation-mode", "decode"],
  ],
  [
    ["--kv-transfer-config", '{"kv_role":"kv_producer"}'],
    ["--kv-transfer-config", '{"kv_role":"kv_producer"}'],
  ],
  [['--kv-transfer-config={"kv_role": "kv_consumer"}'], ['--kv-transfer-config={"kv_role": "kv_consumer"}']],
  [["--kv-transfer-config", '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}'], []],
  [["disaggregation-mode", "x", "-m", "--disaggregation"], []],
];

for (const [args, ofRole] of rows)
  test(`of a role in ${JSON.stringify(args)}: ${JSON.stringify(ofRole)}`, () => {
    const split = splitRoleOptions(args);
    assert.deepEqual(split.ofRole, ofRole);
    assert.deepEqual([...split.args, ...split.ofRole].toSorted(), args.toSorted(), "nothing is lost");
  });
