import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImageCall, ImageMachine } from "./image-row.ts";
import { knownRows, planImage } from "./image-table.ts";

const machine = (
  programs: readonly string[] = [],
  load: readonly string[] | undefined = ["/n", "load.ts"],
): ImageMachine => ({
  which: (program) => (programs.includes(program) ? `/usr/bin/${program}` : undefined),
  hasModule: async () => false,
  findGguf: async () => undefined,
  shims: { folder: "/shims", path: "/shims" },
  programs: load === undefined ? {} : { load },
});

const image = "ghcr.io/moirai-internal/genai-bench:0.1.113";
const plan = (call: Partial<ImageCall>, on = machine()) =>
  planImage(
    knownRows,
    { image, command: ["genai-bench"], args: [], env: new Map(), secrets: new Set(), accelerators: [], ...call },
    on,
  );

const usual = [
  ...["benchmark", "--api-backend", "openai", "--api-base", "http://127.1.2.3:8080", "--api-model-name", "demo"],
  ...["--api-key", "sk-1", "--model-tokenizer", "/models/demo", "--task", "text-to-text"],
  ...["--max-time-per-run", "2", "--max-requests-per-run", "20"],
  ...["--traffic-scenario", "D(5,5)", "--traffic-scenario", "N(1,2)/(3,4)"],
  ...["--num-concurrency", "1", "--num-concurrency", "4", "--additional-request-params", '{"temperature":0}'],
  ...["--server-engine", "vLLM", "--experiment-base-dir", "/claims/results", "--experiment-folder-name", "run-1"],
];

test("genai-bench is our load generator, told the same", async () => {
  for (const call of [
    { args: usual },
    { command: ["/usr/local/bin/genai-bench"], args: usual },
    { command: [], args: usual },
  ])
    assert.deepEqual(await plan(call), {
      is: "runs",
      argv: [
        ...["/n", "load.ts", "--url=http://127.1.2.3:8080", "--model=demo", "--task=text-to-text", "--max-requests=20"],
        ...["--scenario=D(5,5)", "--scenario=N(1,2)/(3,4)", "--concurrency=1", "--concurrency=4"],
        ...['--params={"temperature":0}', "--max-time=2m", "--output=/claims/results/run-1", "--about=engine=vLLM"],
      ],
      env: { OPENAI_API_KEY: "sk-1" },
    });
});

test("the real tool comes first, and what cannot be done is said", async () => {
  const real = await plan({ args: usual }, machine(["genai-bench"]));
  assert.deepEqual(real.is === "runs" && real.argv.slice(0, 2), ["/usr/bin/genai-bench", "benchmark"]);
  for (const [args, why] of [
    [["excel"], /only the benchmark command/],
    [["benchmark", "--upload-results", "--storage-bucket", "b"], /uploading results is not supported/],
    [["benchmark", "--api-backend", "oci-cohere"], /does not support the API oci-cohere/],
  ] as const) {
    const refused = await plan({ args });
    assert.match(refused.is === "unknown" ? refused.message : "", why);
  }
  const none: ImageMachine = { ...machine(), programs: {} };
  const refused = await plan({ args: usual }, none);
  assert.match(refused.is === "unknown" ? refused.message : "", /neither trivium-bench/);
  const noted = await plan({ args: ["benchmark", "--dataset-path", "squad"] });
  assert.equal(noted.is === "runs" && noted.notes?.length, 1);
});
