import { loadavg } from "node:os";
import { largeCases } from "./large-requests/cases.ts";
import { measureLarge } from "./large-requests/measure.ts";
import { makeNamespace } from "./support/calls.ts";
import { connect } from "./support/measured-server.ts";
import { printTable, seconds } from "./support/table.ts";
import { startTrivium } from "./support/trivium-process.ts";

/**
 * How long one large request makes another client wait, at what `npm start` runs, over TLS. The other client reads a small object, one GET
 * after the other. `--profile DIR` leaves a CPU profile of the server there; a word after `--only` chooses cases.
 */
const after = (flag: string): string | undefined => {
  const at = process.argv.indexOf(flag);
  return at === -1 ? undefined : process.argv[at + 1];
};
const profile = after("--profile");
const only = after("--only");
const flags = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];

const server = await startTrivium({ flags });
const writer = connect(server, 1);
const reader = connect(server, 1);
try {
  await makeNamespace(writer);
  const rows: string[][] = [];
  const load = loadavg()[0]?.toFixed(1);
  for (const each of largeCases().filter(({ what }) => what.includes(only ?? ""))) {
    const { status, processor, took, waited, worst } = await measureLarge(each, { server, writer, reader });
    rows.push([each.what, String(status), ...[processor, took, waited, worst].map(seconds)]);
  }
  printTable([
    [`load ${load}`, "answer", "processor time", "took", "longest GET of another client (aim 0.2 s)", "worst of 7"],
    ...rows,
  ]);
} finally {
  await Promise.all([writer.destroy(), reader.destroy()]);
  await server.stop();
  server.removeHome();
}
