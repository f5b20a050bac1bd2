// Loaded into each test process by `npm test -- --times`: at its end it notes how long it ran and what processor time it and the programs
// that it started took, in seconds.
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { isMainThread } from "node:worker_threads";

const list = process.env.TRIVIUM_TEST_TIMES;
const entry = process.argv[1];
const started = performance.now();

if (isMainThread && list !== undefined && entry !== undefined && process.env.NODE_TEST_CONTEXT !== undefined)
  process.on("exit", () => {
    const [own, programs] = processorTimes();
    const seconds = [(performance.now() - started) / 1000, own, programs].map((each) => each.toFixed(2));
    appendFileSync(list, `${[relative(process.cwd(), entry), ...seconds].join("\t")}\n`);
  });

/** The kernel counts in hundredths of a second. What was started and not waited for is not counted. */
function processorTimes() {
  // The name of the process, in brackets, can contain spaces; utime is the fourteenth field.
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ")
    .map(Number);
  const [user = 0, system = 0, usersOfEnded = 0, systemsOfEnded = 0] = fields.slice(11, 15);
  return [(user + system) / 100, (usersOfEnded + systemsOfEnded) / 100];
}
