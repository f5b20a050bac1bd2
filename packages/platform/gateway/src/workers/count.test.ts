import assert from "node:assert/strict";
import { it } from "node:test";
import { Refusal } from "@trivium/std";
import { readCpuLimit, workersOf } from "./count.ts";

const files = (content: Record<string, string>) => (file: string) => content[file];

it("reads the limit of a container", () => {
  const two = "/sys/fs/cgroup/cpu.max";
  const [quota, period] = ["/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"];
  assert.deepEqual(
    [
      { [two]: "400000 100000\n" },
      { [two]: "50000 100000" },
      { [two]: "max 100000\n" },
      { [quota]: "250000\n", [period]: "100000\n" },
      { [quota]: "-1\n", [period]: "100000\n" },
      { [two]: "" },
      {},
    ].map((content) => readCpuLimit(files(content))),
    [4, 0.5, undefined, 2.5, undefined, undefined, undefined],
  );
});

it("takes a number, or what the limit allows", () => {
  assert.deepEqual(
    [workersOf("3"), workersOf("auto", () => 4), workersOf("auto", () => 2.5), workersOf("auto", () => 0.5)],
    [3, 4, 2, 1],
  );
  assert.equal(
    workersOf("auto", () => undefined),
    1,
  );
  for (const text of ["0", "65", "-1", "many", "", "1.5"]) assert.throws(() => workersOf(text), Refusal, text);
});
