import assert from "node:assert/strict";
import { test } from "node:test";
import { configured, readConfiguration } from "./configuration.ts";
import { benchmarkDefaults } from "./options.ts";

const reported = (podConfig: unknown) => readConfiguration({ benchmarkjob: JSON.stringify({ podConfig }) });

test("what an administrator says counts, the rest is as usual", () => {
  const given = reported({ image: "own:1", cpuRequest: "2", cpuLimit: 2, memoryRequest: "2Gi", memoryLimit: "2Gi" });
  assert.deepEqual(configured(benchmarkDefaults, given), {
    ...benchmarkDefaults,
    image: "own:1",
    requests: { cpu: "2", memory: "2Gi" },
    limits: { cpu: "2", memory: "2Gi" },
  });
  assert.deepEqual(configured(benchmarkDefaults, reported({})), benchmarkDefaults);
});

test("an amount on one side takes the usual one of the other side away, which may contradict it", () => {
  const { requests, limits } = configured(benchmarkDefaults, reported({ cpuRequest: "8", memoryLimit: "64Mi" }));
  assert.deepEqual([requests, limits], [{ cpu: "8" }, { memory: "64Mi" }]);
});

test("what cannot be read counts for nothing", () => {
  for (const [data, why] of [
    [{}, /key benchmarkjob not found/],
    [{ benchmarkjob: "{" }, /is not a JSON object/],
    [{ benchmarkjob: "[]" }, /is not a JSON object with podConfig/],
    [
      { benchmarkjob: '{"podConfig":{"image":"own:1","cpuLimit":"much"}}' },
      /podConfig.cpuLimit is not a valid quantity/,
    ],
    [{ benchmarkjob: '{"podConfig":{"image":7}}' }, /podConfig.image is not a valid image reference/],
  ] as const) {
    const { fault, ...rest } = readConfiguration(data as Record<string, string>);
    assert.match(fault ?? "", why);
    assert.deepEqual(rest, { requests: {}, limits: {} });
  }
});
