import { compareRuns, type Difference } from "./compare.ts";
import { type Place, runSequence } from "./run-sequence.ts";
import type { Sequence } from "./sequence.ts";
import { prepareNamespace, type Servers } from "./servers.ts";

/** Runs one sequence on both servers, each in a fresh namespace of the same name, and says where they differ. */
export async function judge(sequence: Sequence, servers: Servers): Promise<Difference[]> {
  const place = nextPlace();
  const run = async (transport: Servers["real"]) => {
    await prepareNamespace(transport, place.namespace);
    return runSequence(sequence, transport, place);
  };
  const [real, embedded] = await Promise.all([run(servers.real), run(servers.embedded)]);
  return compareRuns(sequence, { real, embedded }, place);
}

/** Names of one run never meet those of another, also on a cluster that is used again. */
const runWord = Date.now().toString(36).slice(-5);
let count = 0;

export function nextPlace(): Place {
  count += 1;
  return { namespace: `judge-${runWord}-${count}`, id: `x${runWord}${count}x` };
}
