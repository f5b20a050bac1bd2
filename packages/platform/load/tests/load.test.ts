import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchmarkReport, RunReport } from "@trivium/engines";
import { beginStream, bench, endStream, sendToken, startServer } from "./stage.ts";

const quick = ["--model", "m", "--scenario", "D(5,4)", "--concurrency", "2", "--warm-up", "0", "--max-requests", "6"];
const summaryOf = (text: string) => JSON.parse(text);

test("every scenario at every concurrency, counted and timed, with results on disk", async (context) => {
  const pause = 15;
  const stage = await startServer(context, async (response, { body }) => {
    beginStream(response);
    for (let at = 0; at < Number(body.max_tokens); at += 1) {
      await sleep(pause);
      sendToken(response, `t${at} `);
    }
    endStream(response, { prompt_tokens: 11, completion_tokens: body.max_tokens });
  });
  const folder = await mkdtemp(join(tmpdir(), "load-"));
  context.after(() => rm(folder, { recursive: true }));
  const about = ["--about", "engine=vLLM"];
  const levels = ["--scenario", "D(5,4)", "--scenario", "U(3,3)/(2,2)", "--concurrency", "1,3", "--max-requests", "6"];
  const summary = join(folder, "summary");
  const { code, out, err } = await bench(
    ["--url", stage.url, "--model", "m", "--json", "--output", folder, "--summary", summary, ...levels, ...about],
    { environment: { OPENAI_API_KEY: "sk-hidden" } },
  );
  assert.equal(code, 0, err);
  // One to warm up.
  assert.equal(stage.asked.length, 1 + 4 * 6);
  assert.equal(stage.maxAtOnce(), 3);
  assert.ok(
    stage.asked.every(
      ({ path, authorization }) => path === "/v1/chat/completions" && authorization === "Bearer sk-hidden",
    ),
  );
  assert.deepEqual([summaryOf(out).requests, summaryOf(out).answered, summaryOf(out).best.concurrency], [24, 24, 3]);
  assert.deepEqual(JSON.parse(await readFile(summary, "utf8")), summaryOf(out));

  const report = JSON.parse(await readFile(join(folder, "results.json"), "utf8")) as BenchmarkReport;
  assert.deepEqual(
    report.runs.map(({ scenario, concurrency, requests }) => [scenario, concurrency, requests.answered]),
    [
      ["D(5,4)", 1, 6],
      ["D(5,4)", 3, 6],
      ["U(3,3)/(2,2)", 1, 6],
      ["U(3,3)/(2,2)", 3, 6],
    ],
  );
  const [first] = report.runs as [RunReport];
  assert.deepEqual([first.inputTokens.p50, first.outputTokens.p50, first.outputTokens.count], [11, 4, 6]);
  // A machine may be slow, never fast: what the server waits is the least that can be measured, until the first token and in all. Between
  // tokens it can be less: a reader that gets the first one late has the next ones already.
  assert.ok(first.timeToFirstToken.min >= pause - 2, String(first.timeToFirstToken.min));
  assert.ok(first.latency.min >= 4 * (pause - 2), String(first.latency.min));
  assert.ok(first.timePerOutputToken.min > 0, String(first.timePerOutputToken.min));
  assert.ok(first.timePerOutputToken.max >= first.timePerOutputToken.min);
  assert.deepEqual((await readdir(join(folder, "runs"))).sort(), [
    "D-5-4-c1.json",
    "D-5-4-c3.json",
    "U-3-3-2-2-c1.json",
    "U-3-3-2-2-c3.json",
  ]);
  const run = JSON.parse(await readFile(join(folder, "runs", "D-5-4-c1.json"), "utf8"));
  assert.equal(run.records.length, 6);
  const page = await readFile(join(folder, "report.html"), "utf8");
  assert.ok(page.includes("<svg") && page.includes("vLLM"));
  assert.equal([out, err, page, JSON.stringify(report)].join("").includes("sk-hidden"), false);
});

test("without counts of the server its pieces are counted, and its first model is asked", async (context) => {
  const stage = await startServer(context, (response, { path, body }) => {
    if (path === "/v1/models") return void response.end(JSON.stringify({ data: [{ id: "listed" }] }));
    assert.equal(body.model, "listed");
    assert.equal(body.temperature, 0.5);
    beginStream(response);
    for (const word of ["a", "b", "c"]) sendToken(response, word);
    endStream(response);
  });
  const args = ["--scenario", "D(5,4)", "--concurrency", "1", "--max-requests", "2", "--params", '{"temperature":0.5}'];
  const { code, out } = await bench(["--url", `${stage.url}/v1/`, "--json", ...args]);
  assert.equal(code, 0);
  assert.equal(summaryOf(out).answered, 2);
});

test("embeddings and ranks are answers in one piece", async (context) => {
  const stage = await startServer(context, (response, { path }) => {
    const body =
      path === "/v1/embeddings"
        ? { data: [{ embedding: [1] }], usage: { prompt_tokens: 8 } }
        : { results: [{ index: 0 }] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  for (const [task, scenario] of [
    ["text-to-embeddings", "E(8)"],
    ["text-to-rerank", "R(6,2)"],
  ] as const) {
    const args = ["--task", task, "--scenario", scenario, "--concurrency", "2", "--max-requests", "4", "--model", "m"];
    const { code, out } = await bench(["--url", stage.url, "--json", ...args]);
    assert.deepEqual([code, summaryOf(out).answered, summaryOf(out).best.outputTokensPerSecond], [0, 4, 0], task);
  }
  assert.ok(Array.isArray(stage.asked.at(-1)?.body.documents));
});

test("each way to fail is counted as what it is", async (context) => {
  const ways: Record<string, Parameters<typeof startServer>[1]> = {
    http: (response) => void response.writeHead(500).end('{"error":{"message":"out of\\nmemory"}}'),
    reset: (response) => void response.socket?.destroy(),
    cut: (response) => {
      beginStream(response);
      sendToken(response, "a");
      response.end();
    },
    empty: (response) => {
      beginStream(response);
      endStream(response);
    },
    garbage: (response) => {
      beginStream(response);
      response.end("data: {not json\n\ndata: [DONE]\n\n");
    },
    timeout: (response) => {
      beginStream(response);
      sendToken(response, "a");
    },
  };
  for (const [kind, answer] of Object.entries(ways)) {
    const stage = await startServer(context, answer);
    // Only the one that is about time is in a hurry: a busy machine can take long for the others.
    const patience = kind === "timeout" ? "150ms" : "60s";
    const { code, out, err } = await bench(["--url", stage.url, "--json", "--request-timeout", patience, ...quick]);
    const { requests, answered, errorRate, failure } = summaryOf(out);
    assert.deepEqual([code, requests, answered, errorRate], [1, 6, 0, 1], kind);
    assert.ok(failure.startsWith("no request succeeded: "), failure);
    assert.ok(err.trimEnd().endsWith(failure));
    if (kind === "http") assert.equal(failure, "no request succeeded: 500: out of memory");
  }
  const broken = await startServer(context, (response) => {
    beginStream(response);
    response.end(`data: ${"x".repeat(5 * 1024 * 1024)}`);
  });
  const { out } = await bench(["--url", broken.url, "--json", ...quick, "--max-requests", "1"]);
  assert.match(summaryOf(out).failure, /an event is larger than 4Mi/);
});

test("what speaks no HTTP at all is garbage, not an end of the program", async (context) => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.end("SSH-2.0-nonsense\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  const { port } = server.address() as { port: number };
  const { code, out } = await bench(["--url", `http://127.0.0.1:${port}`, "--json", ...quick]);
  assert.equal(code, 1);
  assert.match(summaryOf(out).failure, /the response is not HTTP|the connection was lost/);
});

test("a server that dies in the middle ends the benchmark with what was measured", async (context) => {
  let answers = 0;
  const stage = await startServer(context, (response) => {
    answers += 1;
    if (answers > 8) return void response.socket?.destroy();
    beginStream(response);
    sendToken(response, "a");
    endStream(response);
  });
  const args = [
    "--model",
    "m",
    "--warm-up",
    "0",
    "--scenario",
    "D(5,1)",
    "--concurrency",
    "1,2,4",
    "--max-requests",
    "200",
  ];
  const { code, out } = await bench(["--url", stage.url, "--json", ...args]);
  const { answered, requests, failure } = summaryOf(out);
  assert.deepEqual([code, answered], [1, 8]);
  assert.ok(requests < 60, `gives up early: ${requests}`);
  assert.match(failure, /^all requests failed at D\(5,1\) with concurrency 1: the connection was lost/);
});

test("a scenario that the server refuses does not keep the others from being measured", async (context) => {
  const stage = await startServer(context, (response, { body }) => {
    if (Number(body.max_tokens) > 10) return void response.writeHead(400).end('{"error":{"message":"too long"}}');
    beginStream(response);
    sendToken(response, "a");
    endStream(response);
  });
  const args = ["--scenario", "D(5,99)", "--scenario", "D(5,2)", "--concurrency", "1,2", "--max-requests", "3"];
  const { code, out } = await bench(["--url", stage.url, "--json", "--model", "m", "--warm-up", "0", ...args]);
  const { requests, answered, failure, best } = summaryOf(out);
  assert.deepEqual([code, requests, answered, best.scenario], [1, 9, 6, "D(5,2)"]);
  assert.equal(failure, "all requests failed at D(5,99) with concurrency 1: 400: too long");
});

test("a server that is too small for some of the default scenarios is measured with the others", async (context) => {
  const stage = await startServer(context, (response, { body }) => {
    const [message] = body.messages as [{ content: string }];
    if (message.content.split(" ").length > 1500)
      return void response.writeHead(400).end('{"error":{"message":"too long"}}');
    beginStream(response);
    sendToken(response, "a");
    endStream(response);
  });
  const args = ["--concurrency", "1,2", "--max-requests", "2", "--warm-up", "0", "--model", "m"];
  const { code, out, err } = await bench(["--url", stage.url, "--json", ...args]);
  const { requests, answered, failure } = summaryOf(out);
  assert.deepEqual([code, requests, answered, failure], [0, 16, 12, undefined]);
  assert.match(err, /^refused: D\(2000,200\): 400: too long\nrefused: D\(7800,200\): 400: too long$/m);
});

test("a model that does not exist and a wrong key end the benchmark at the first scenario", async (context) => {
  for (const status of [401, 403, 404]) {
    const stage = await startServer(context, (response) => {
      response.writeHead(status).end('{"error":{"message":"Model nope not found"}}');
    });
    const args = ["--scenario", "D(5,9)", "--scenario", "D(5,2)", "--concurrency", "1,2", "--max-requests", "3"];
    const { code, out } = await bench(["--url", stage.url, "--json", "--model", "m", "--warm-up", "0", ...args]);
    assert.deepEqual([code, summaryOf(out).requests], [1, 3], String(status));
  }
});

test("nobody listens, time runs out, somebody stops it", async (context) => {
  const refused = await bench(["--url", "http://127.0.0.1:9", "--json", ...quick]);
  assert.match(summaryOf(refused.out).failure, /does not accept connections: ECONNREFUSED/);
  const silent = await startServer(context, () => undefined);
  const late = await bench(["--url", silent.url, "--json", ...quick, "--max-time", "100ms"]);
  assert.equal(late.code, 1);
  assert.match(summaryOf(late.out).failure, /no complete response before the end of the run/);
  const stop = new AbortController();
  const quiet = await startServer(context, () => stop.abort());
  const stopped = await bench(["--url", quiet.url, "--json", ...quick], { signal: stop.signal });
  assert.equal(stopped.code, 130);
});

test("wrong arguments are told in one line", async () => {
  for (const [args, wanted] of [
    [[], /no server to measure; name a service, or set --url/],
    [["--url", "ftp://x"], /--url must start with/],
    [["--url", "http://u:p@x"], /must not contain credentials/],
    [["--url", "http://x", "--task", "sing"], /unknown --task sing/],
    [["--url", "http://x", "--task", "image-to-text"], /needs images/],
    [["--url", "http://x", "--scenario", "E(5)"], /is not a scenario for text-to-text/],
    [["--url", "http://x", "--concurrency", "0"], /--concurrency 0/],
    [["--url", "http://x", "--max-time", "soon"], /--max-time soon/],
    [["--url", "http://x", "--params", "[]"], /--params must be a JSON object/],
    [["--url", "http://x", "--nonsense"], /nonsense/],
  ] as const) {
    const { code, err } = await bench(args);
    assert.equal(code, 2, args.join(" "));
    assert.match(err, wanted);
  }
});
