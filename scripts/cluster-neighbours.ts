// Builds the controllers of other projects that tests run beside the operator, where this machine has not built them:
//   npm run cluster:neighbours                 all of them
//   npm run cluster:neighbours -- traefik      those whose name contains one of the words
import { NoCluster } from "../tools/cluster/build.ts";
import { neighbours } from "../tools/cluster/neighbours/programs.ts";

const words = process.argv.slice(2).map((word) => word.toLowerCase());
const wanted = Object.entries(neighbours).filter(
  ([name]) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word)),
);
if (wanted.length === 0) {
  console.error(`error: unknown project ${words.join(", ")}; available: ${Object.keys(neighbours).join(", ")}`);
  process.exitCode = 2;
}
for (const [name, ensure] of wanted)
  try {
    console.log(`${name.padEnd(20)} ${ensure(console.error)}`);
  } catch (error) {
    if (!(error instanceof NoCluster)) throw error;
    console.error(`error: ${name}: ${error.message}`);
    process.exitCode = 1;
  }
