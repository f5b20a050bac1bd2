// Tests on a real node: builds kubelet, CoreDNS and Helm where this machine has not built them, then runs every test that needs them,
// also those that take too long for `npm run test:cluster`. With arguments, only the files whose path contains one of them.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

const wanted = process.argv.slice(2);
const files = globSync(["tools/cluster/{e2e,node}/**/*.cluster.ts", "tools/**/*.node.ts"])
  .filter((path) => wanted.length === 0 || wanted.some((word) => path.includes(word)))
  .sort();
console.log(`tests on a real node: ${files.length} files`);
const args = ["--test", "--test-reporter=spec", "--test-concurrency=1", "--test-timeout=3000000", ...files];
const { status } = spawnSync(process.execPath, args, {
  stdio: "inherit",
  env: { ...process.env, TRIVIUM_NODE: "build" },
});
process.exitCode = status ?? 1;
