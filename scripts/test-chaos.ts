// Two operators on a real control plane while its API server, nodes, watches, writes and clocks fail:
//   npm run test:chaos                                     30 services, 3 minutes of faults
//   npm run test:chaos -- --services=300 --minutes=15      the long form
//   npm run test:chaos -- --node                           a real node beside the staged ones; needs root
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { services: { type: "string" }, minutes: { type: "string" }, node: { type: "boolean" } },
});
const chosen = {
  ...(values.services === undefined ? {} : { CHAOS_SERVICES: values.services }),
  ...(values.minutes === undefined ? {} : { CHAOS_MINUTES: values.minutes }),
  ...(values.node === true ? { CHAOS_NODE: "real" } : {}),
};
const args = ["--test", "--test-reporter=spec", "--test-timeout=5400000", "tools/cluster/chaos/storm.chaos.ts"];
const { status } = spawnSync(process.execPath, args, { stdio: "inherit", env: { ...process.env, ...chosen } });
process.exitCode = status ?? 1;
