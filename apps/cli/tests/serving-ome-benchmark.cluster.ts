import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Machine, missingKubectl, until } from "./serving/machine.ts";

const skip = await missingKubectl();
const example = readFileSync(join(import.meta.dirname, "../../../examples/ome/laptop.yaml"), "utf8");

interface Benchmark {
  readonly status?: { readonly state?: string; readonly details?: string; readonly failureMessage?: string };
}

const claim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: results, namespace: default }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 64Mi } } }
`;
const benchmark = (name: string, levels: string, requests: number) => `
apiVersion: ome.io/v1beta1
kind: BenchmarkJob
metadata: { name: ${name}, namespace: default }
spec:
  endpoint: { inferenceService: { name: chat, namespace: default } }
  task: text-to-text
  trafficScenarios: ["D(8,8)", "U(4,8)/(2,4)"]
  numConcurrency: [${levels}]
  maxTimePerIteration: 1
  maxRequestsPerIteration: ${requests}
  outputLocation: { storageUri: pvc://results/chat }
`;

/** In the suite of real clusters only because it takes its time. */
describe("benchmarks of OME on one machine", { skip }, () => {
  const machine = new Machine();
  const statusOf = async (name: string) =>
    (await machine.get<Benchmark>(`/apis/ome.io/v1beta1/namespaces/default/benchmarkjobs/${name}`)).status ?? {};
  const logOf = (name: string) => machine.kubectl("logs", "-l", `benchmark=${name}`, "--tail=-1");
  before(async () => {
    await machine.up();
    await machine.apply(`${claim}---${benchmark("load", "1, 2", 4)}`);
  });
  after(() => machine.remove());

  it("wait for their service, and end with results that people and programs can read", async () => {
    await until("it says what it waits for", async () => /not found/.test((await statusOf("load")).details ?? ""));
    await machine.apply(example);
    await until("it is over", async () => /Completed|Failed/.test((await statusOf("load")).state ?? ""), 120_000);
    const { state, details = "{}", failureMessage } = await statusOf("load");
    assert.equal(state, "Completed", failureMessage);
    const { requests, answered } = JSON.parse(details) as { requests: number; answered: number };
    assert.deepEqual([requests, answered], [16, 16]);
    const [page = ""] = globSync(join(machine.home, "volumes/*/chat/*/report.html"));
    assert.match(readFileSync(page, "utf8"), /<svg[^>]*aria-label="Throughput"/);
    const [results = ""] = globSync(join(machine.home, "volumes/*/chat/*/results.json"));
    const { runs } = JSON.parse(readFileSync(results, "utf8")) as { runs: unknown[] };
    assert.equal(runs.length, 4);
  });

  it("fail with a cause when the service dies while it is measured", async () => {
    await machine.apply(benchmark("dies", "1, 2, 3, 4, 5, 6, 7, 8", 60));
    await until(
      "the first of many runs is over",
      async () => /D\(8,8\)/.test(await logOf("dies").catch(() => "")),
      60_000,
    );
    await machine.kubectl("delete", "inferenceservices.ome.io/chat");
    await until("it is over", async () => /Completed|Failed/.test((await statusOf("dies")).state ?? ""), 120_000);
    const { state, failureMessage } = await statusOf("dies");
    assert.equal(state, "Failed");
    assert.match(
      failureMessage ?? "",
      /does not accept connections|connection was lost|no address|not answer|not respond/,
    );
  });
});
