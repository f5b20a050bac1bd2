/** What is ours alone: the limits, the end, the errors, and the weak spots of the native binding. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "@trivium/testkit";
import { ownCommand } from "../src/index.ts";
import { demoModel, type Event, freePort, runToEnd, startServer, type TestServer } from "./support/server.ts";

const endless = { prompt: "Once", n_predict: 500, ignore_eos: true, stream: true };
const folder = mkdtempSync(join(tmpdir(), "trivium-engine-"));
after(() => rmSync(folder, { recursive: true, force: true }));

describe("under load", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ args: ["-np", "4", "-c", "2048", "--metrics"], env: { TRIVIUM_ENGINE_QUEUE: "60" } });
  });
  after(() => server[Symbol.asyncDispose]());

  it("leaves no busy slot after 40 streams with random ends", async () => {
    let ended = 0;
    const one = async (number: number): Promise<void> => {
      const gone = new AbortController();
      const limit = 5 + (number % 7) * 10;
      const patience = number % 3 === 0 ? Number.POSITIVE_INFINITY : number % 11;
      try {
        let events = 0;
        for await (const _ of server.events("/completion", { ...endless, n_predict: limit }, gone.signal))
          if (++events > patience) gone.abort();
        ended++;
      } catch (error) {
        if (!gone.signal.aborted) throw error;
      }
    };
    // Some go before they even have a slot.
    const early = Array.from({ length: 10 }, async (_, number) => {
      const gone = AbortSignal.timeout(number * 3);
      await Array.fromAsync(server.events("/completion", endless, gone)).catch(() => {});
    });
    await Promise.all([...Array.from({ length: 40 }, (_, number) => one(number)), ...early]);
    assert.ok(ended >= 14);
    await untilIdle(server);
    const { json } = await server.post("/completion", { prompt: "Once", n_predict: 3 });
    assert.equal(json.tokens_predicted, 3);
    assert.match((await server.get("/metrics")).text, /^llamacpp:requests_processing 0$/m);
  });

  it("ends a request while its prompt is still being read", async () => {
    const gone = new AbortController();
    const long = server.events("/completion", { ...endless, prompt: "fox ".repeat(400) }, gone.signal).next();
    setImmediate(() => gone.abort());
    await assert.rejects(long);
    await untilIdle(server);
  });

  it("does not lose text to a client that reads slowly", async () => {
    const body = {
      messages: [{ role: "user", content: "Tell me a story about a fox." }],
      max_tokens: 400,
      temperature: 0,
      ignore_eos: true,
    };
    const whole = (await server.post("/v1/chat/completions", body)).json.choices[0].message.content;
    assert.equal(await readSlowly(server, { ...body, stream: true }), whole);
  });

  it("keeps the order of those who wait, and refuses those for whom there is no room", async () => {
    await using small = await startServer({ args: ["-np", "1", "--metrics"], env: { TRIVIUM_ENGINE_QUEUE: "2" } });
    const gone = new AbortController();
    const stream = small.events("/completion", endless, gone.signal);
    await stream.next();
    const order: number[] = [];
    const wait = (number: number): Promise<unknown> =>
      small.post("/completion", { prompt: "Once", n_predict: 2 }).then(() => order.push(number));
    const first = wait(1);
    await untilDeferred(small, 1);
    const second = wait(2);
    await untilDeferred(small, 2);
    const { status, json, headers } = await small.post("/completion", { prompt: "Once" });
    assert.equal(status, 503);
    assert.equal(json.error.type, "unavailable_error");
    assert.match(json.error.message, /all 1 slots are busy and 2 requests are waiting/);
    assert.equal(headers.get("retry-after"), "1");
    gone.abort();
    await Promise.all([first, second]);
    assert.deepEqual(order, [1, 2]);
  });

  const fatal: [what: string, body: object][] = [
    ["an empty grammar rule", { grammar: "root ::= x" }],
    ["a grammar that calls itself first", { grammar: "root ::= root | [a]" }],
    ["a schema of nonsense", { json_schema: { type: "nonsense" } }],
    ["a schema that points nowhere", { json_schema: { $ref: "#/nope" } }],
    ["a schema that is a number", { json_schema: 5 }],
    ["a pattern that cannot be read", { json_schema: { type: "string", pattern: "(((" } }],
    [
      "a schema that repeats too often",
      { json_schema: { type: "array", minItems: 100_000, items: { type: "integer" } } },
    ],
    ["a logit bias without a number", { logit_bias: [[5, "much"]] }],
    ["tokens that do not exist", { prompt: [99_999] }],
    ["tokens below zero", { prompt: [-1] }],
    ["a prompt that is an object", { prompt: {} }],
  ];
  for (const [what, body] of fatal)
    it(`survives ${what}`, async () => {
      const { status, json } = await server.post("/completion", { prompt: "x", n_predict: 5, ...body });
      assert.equal(status, 400, json.error?.message);
      assert.equal(json.error.type, "invalid_request_error");
    });

  it("survives bodies that are no requests", async () => {
    for (const body of [
      "null",
      "5",
      '"x"',
      "[]",
      "",
      '{"messages":[null]}',
      '{"messages":[[]]}',
      '{"prompt":[]}',
      '{"prompt":[[]]}',
    ])
      for (const path of [
        "/v1/chat/completions",
        "/v1/completions",
        "/completion",
        "/tokenize",
        "/detokenize",
        "/apply-template",
      ]) {
        const { status } = await server.post(path, body);
        assert.ok([200, 400, 500].includes(status), `${path} ${body}: ${status}`);
      }
    assert.equal((await server.get("/health")).status, 200);
  });

  it("refuses bodies and heads that are too large", async () => {
    const { status, json } = await new Promise<{ status: number; json: Event }>((resolve, reject) => {
      const call = request(
        `${server.url}/completion`,
        { method: "POST", headers: { "content-length": 1e9 } },
        (response) => {
          response
            .setEncoding("utf8")
            .on("data", (text) => resolve({ status: response.statusCode!, json: JSON.parse(text) }));
        },
      );
      call.on("error", reject);
      call.flushHeaders();
    });
    assert.equal(status, 413);
    assert.equal(json.error.type, "invalid_request_error");
    assert.equal((await server.get("/health", { "x-long": "x".repeat(100_000) })).status, 431);
  });

  it("gives a JSON object when one is asked for", async () => {
    const body = { messages: [{ role: "user", content: "hi" }], temperature: 1, seed: 3, max_tokens: 400 };
    const schema = {
      type: "object",
      properties: { ok: { type: "boolean" } },
      required: ["ok"],
      additionalProperties: false,
    };
    const strict = await server.post("/v1/chat/completions", {
      ...body,
      response_format: { type: "json_schema", json_schema: { schema } },
    });
    assert.equal(typeof JSON.parse(strict.json.choices[0].message.content).ok, "boolean");
    const loose = await server.post("/v1/chat/completions", { ...body, response_format: { type: "json_object" } });
    assert.match(loose.json.choices[0].message.content, /^\{/);
  });
});

it("finds tool calls in what the model says", async () => {
  const template = fileURLToPath(new URL("./support/tools.jinja", import.meta.url));
  const reported =
    'Well. <tool_call>\\n{\\"name\\": \\"weather\\", \\"arguments\\": {\\"celsius\\": true}}\\n</tool_call>';
  await using server = await startServer({
    args: ["-np", "1", "--chat-template-file", template, "--grammar", `root ::= "${reported}"`],
  });
  const parameters = { type: "object", properties: { celsius: { type: "boolean" } }, required: ["celsius"] };
  const tools = [{ type: "function", function: { name: "weather", parameters } }];
  const body = {
    messages: [{ role: "user", content: "x" }],
    tools,
    tool_choice: { type: "function", function: { name: "weather" } },
  };
  const { json } = await server.post("/v1/chat/completions", body);
  const { message, finish_reason } = json.choices[0];
  assert.equal(finish_reason, "tool_calls");
  assert.equal(message.content.trim(), "Well.");
  assert.deepEqual(
    message.tool_calls.map((call: Event) => call.function),
    [{ name: "weather", arguments: '{"celsius": true}' }],
  );
  assert.match(message.tool_calls[0].id, /^call_/);

  const chunks: Event[] = (
    await Array.fromAsync(server.events("/v1/chat/completions", { ...body, stream: true }))
  ).slice(0, -1);
  const calls = chunks.flatMap((chunk) => chunk.choices[0].delta.tool_calls ?? []);
  assert.deepEqual(
    calls.map(({ index }) => index),
    calls.map(() => 0),
  );
  assert.deepEqual({ type: calls[0].type, name: calls[0].function.name }, { type: "function", name: "weather" });
  assert.equal(calls.map((call) => call.function.arguments).join(""), '{"celsius": true}');
  assert.equal(chunks.at(-1).choices[0].finish_reason, "tool_calls");
  const none = await server.post("/v1/chat/completions", {
    ...body,
    tool_choice: { type: "function", function: { name: "nope" } },
  });
  assert.equal(none.status, 400);
});

describe("the program", { concurrency: 2 }, () => {
  it("names a flag that it does not know, and the nearest one", async () => {
    assert.deepEqual(await runToEnd(["-m", demoModel, "--prot", "1"]), {
      code: 1,
      lines: ["error: invalid argument: --prot (did you mean --port?)"],
    });
  });

  const files: [what: string, make: (path: string) => string, reason: RegExp][] = [
    ["a file that is not there", (path) => path, /^E cannot load model .*: file not found$/],
    [
      "half a model",
      (path) => cut(path, 1_500_000),
      /^E .*it is truncated: 1491200 bytes are missing; download it again/,
    ],
    [
      "an architecture that nobody knows",
      (path) => change(path, "llama", "alpac"),
      /^E cannot load model .*unknown model architecture: 'alpac'/,
    ],
  ];
  for (const [what, make, reason] of files)
    it(`ends over ${what} and says why last`, async () => {
      const path = make(join(folder, `${what.replaceAll(" ", "-")}.gguf`));
      const { code, lines } = await runToEnd(["-m", path, "--port", String(await freePort())]);
      assert.equal(code, 1);
      assert.match(lines.at(-1)!, reason);
    });

  it("ends over a model that cannot rank when it is to, and says why", async () => {
    const { code, lines } = await runToEnd(["-m", demoModel, "--port", String(await freePort()), "--reranking"]);
    assert.equal(code, 1);
    assert.match(lines.at(-1)!, /^E model .*demo\.gguf cannot rank: it has no ranking head; use a reranking model/);
  });

  it("ends over an adapter that is not there, and says which", async () => {
    const port = String(await freePort());
    const { code, lines } = await runToEnd(["-m", demoModel, "--port", port, "--lora", "/nowhere/style.gguf"]);
    assert.equal(code, 1);
    assert.equal(lines.at(-1), "E cannot load adapter /nowhere/style.gguf: file not found");
  });

  it("ends over a port that is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const { code, lines } = await runToEnd(["-m", demoModel, "--port", String(port)]);
    taken.close();
    assert.equal(code, 1);
    assert.match(lines.at(-1)!, /^E cannot listen on 127\.0\.0\.1:\d+: EADDRINUSE$/);
  });

  it("takes flags from the environment, and says which ones do nothing", async () => {
    const env = { LLAMA_ARG_N_PARALLEL: "3", LLAMA_ARG_ENDPOINT_METRICS: "1", LLAMA_ARG_TENSOR_SPLIT: "1,1" };
    await using server = await startServer({ env });
    assert.equal((await server.get("/slots")).json.length, 3);
    assert.equal((await server.get("/metrics")).status, 200);
    assert.match(server.stderr(), /^W --tensor-split has no effect on this engine$/m);
  });

  it("tells little on standard error, and nothing for a request", async () => {
    const path = join(folder, "stderr.log");
    const port = await freePort();
    const [program, ...first] = ownCommand() as [string, ...string[]];
    const child = spawn(program, [...first, "-m", demoModel, "--port", String(port)], {
      stdio: ["ignore", openSync(path, "a"), openSync(path, "a")],
    });
    while (
      !(await fetch(`http://127.0.0.1:${port}/health`).then(
        (it) => it.ok,
        () => false,
      ))
    )
      await new Promise((resolve) => setTimeout(resolve, 10));
    await fetch(`http://127.0.0.1:${port}/completion`, { method: "POST", body: '{"prompt":"x","n_predict":3}' }).then(
      (it) => it.text(),
    );
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [0, null]);
    const all = readFileSync(path, "utf8").trimEnd().split("\n");
    // llama.cpp warns of the demo's context from a thread of its own, and mostly does not get to it.
    const lines = all.filter((line) => !line.includes("KV cache shifting is not supported"));
    assert.equal(lines.length, 3, all.join("\n"));
    assert.match(lines[0]!, /^I loading .*demo\.gguf \(llama, 2\.9Mi\): 4 slots of 512 tokens, \d+ threads$/);
    assert.match(lines[1]!, /^I model loaded \d+ms after the start/);
  });

  it("finishes what runs when it is told to end, and takes nothing new", async () => {
    await using server = await startServer({ args: ["-np", "2"] });
    const stream = server.events("/completion", { ...endless, n_predict: 200 });
    const first = await stream.next();
    server.process.kill("SIGTERM");
    const rest: Event[] = await Array.fromAsync(stream);
    assert.equal(first.value.stop, false);
    assert.equal(rest.at(-1).stop, true);
    assert.equal(rest.at(-1).tokens_predicted, 200);
    if (server.process.exitCode === null) await once(server.process, "exit");
    assert.equal(server.process.exitCode, 0);
    await assert.rejects(server.get("/health"));
  });

  it("answers what arrives on an open connection just after it is told to end, and closes that connection", async () => {
    await using server = await startServer({ args: ["-np", "1"] });
    const agent = new Agent({ keepAlive: true });
    const call = async () => {
      const sent = request(`${server.url}/v1/models`, { agent }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      response.resume();
      await once(response, "end");
      return { status: response.statusCode, connection: response.headers.connection, isReused: sent.reusedSocket };
    };
    await call();
    server.process.kill("SIGTERM");
    await until(() => server.stderr().includes("I stopping"), "the signal is noticed");
    assert.deepEqual(await call(), { status: 200, connection: "close", isReused: true });
    agent.destroy();
    if (server.process.exitCode === null) await once(server.process, "exit");
    assert.equal(server.process.exitCode, 0);
  });

  it("closes its connections when it is killed in the middle of an answer", async () => {
    await using server = await startServer({ args: ["-np", "1"] });
    const stream = server.events("/completion", endless);
    await stream.next();
    server.process.kill("SIGKILL");
    await assert.rejects(Array.fromAsync(stream));
  });
});

function write(path: string, bytes: Buffer): string {
  writeFileSync(path, bytes);
  return path;
}

function cut(path: string, length: number): string {
  copyFileSync(demoModel, path);
  truncateSync(path, length);
  return path;
}

function change(path: string, from: string, to: string): string {
  const bytes = readFileSync(demoModel);
  bytes.write(to, bytes.indexOf(from, 24), "latin1");
  return write(path, bytes);
}

async function untilIdle(server: TestServer): Promise<void> {
  const end = performance.now() + 90_000;
  for (;;) {
    const busy = (await server.get("/slots")).json.filter((slot: Event) => slot.is_processing);
    if (busy.length === 0) return;
    assert.ok(performance.now() < end, `slots stay busy: ${JSON.stringify(busy)}`);
  }
}

async function untilDeferred(server: TestServer, count: number): Promise<void> {
  const { pid } = server.process;
  assert.ok(pid !== undefined);
  while (!(await server.get("/metrics")).text.includes(`requests_deferred ${count}`)) await new Promise(setImmediate);
}

function readSlowly(server: TestServer, body: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(`${server.url}/v1/chat/completions`, { method: "POST" }, async (response) => {
      // Nothing is read until the answer is long finished on the other side.
      response.pause();
      await untilIdle(server);
      let text = "";
      response
        .resume()
        .setEncoding("utf8")
        .on("data", (chunk: string) => {
          text += chunk;
        });
      response.on("end", () => {
        const chunks: Event[] = text
          .split("\n\n")
          .filter((event) => event.startsWith("data: {"))
          .map((event) => JSON.parse(event.slice(6)));
        resolve(chunks.map((chunk) => chunk.choices[0].delta.content ?? "").join(""));
      });
    });
    call.on("error", reject);
    call.end(JSON.stringify(body));
  });
}

describe("a chat template that llama.cpp cannot parse", () => {
  const ended = (lines: readonly string[]) => lines.at(-1) ?? "";

  for (const [what, template] of [
    ["is cut off", "{{ messages"],
    ["has an unknown tag", "{% nonsense %}"],
    ["calls itself for ever", "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}"],
  ] as const)
    it(`ends the program with a sentence when it ${what}`, async () => {
      const port = String(await freePort());
      const { code, lines } = await runToEnd(["-m", demoModel, "--port", port, "--chat-template", template]);
      assert.equal(code, 1);
      assert.equal(
        ended(lines),
        "E llama.cpp cannot parse the given chat template; check its Jinja syntax, " +
          "or pass another template with --chat-template or --chat-template-file",
      );
    });

  it("is named with its file when it is the model's own, and another one helps", async () => {
    const path = join(folder, "template.gguf");
    const bytes = readFileSync(demoModel);
    const at = bytes.indexOf("{%");
    assert.ok(at > 0);
    bytes.write("{!", at);
    bytes.write("{{", bytes.indexOf("%}", at));
    writeFileSync(path, bytes);
    const port = String(await freePort());
    const { code, lines } = await runToEnd(["-m", path, "--port", port]);
    assert.equal(code, 1);
    assert.match(ended(lines), /^E llama\.cpp cannot parse the chat template in .*template\.gguf; /);
    await using server = await startServer({ model: path, args: ["--chat-template", "chatml"] });
    assert.equal((await server.get("/health")).status, 200);
  });

  it("is a warning when it only fails for the simplest chat", async () => {
    await using server = await startServer({ args: ["--chat-template", "{{ raise_exception('not you') }}"] });
    assert.match(server.stderr(), /^W the given chat template fails for a single user message: .*not you/m);
  });
});

describe("requests that native code ends or hangs over", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ args: ["-np", "1"] });
  });
  after(() => server[Symbol.asyncDispose]());

  const chat = (schema: unknown) => ({
    messages: [{ role: "user", content: "hi" }],
    max_tokens: 2,
    response_format: { type: "json_schema", json_schema: { schema } },
  });
  const nested = JSON.parse(`${'{"type":"array","items":'.repeat(500)}{}${"}".repeat(500)}`) as unknown;
  const properties = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: "integer" }]));
  for (const [what, path, body, message] of [
    [
      "an unknown mirostat",
      "/completion",
      { prompt: "a", mirostat: 7 },
      /'mirostat' must be a whole number from 0 to 2/,
    ],
    ["mirostat", "/completion", { prompt: "a", mirostat: 1 }, /'mirostat' is not supported by this engine; remove it/],
    ["a typical share", "/completion", { prompt: "a", typical_p: 0.5 }, /'typical_p' is not supported/],
    ["half a mirostat", "/completion", { prompt: "a", mirostat: 1.5 }, /'mirostat' must be/],
    ["an endless window", "/completion", { prompt: "a", repeat_last_n: 1e12 }, /'repeat_last_n' must be/],
    [
      "another",
      "/completion",
      { prompt: "a", dry_multiplier: 1, dry_penalty_last_n: -5 },
      /'dry_penalty_last_n' must be/,
    ],
    ["infinity", "/completion", '{"prompt":"a","temperature":1e999}', /'temperature' must be a finite number/],
    ["a deep schema", "/v1/chat/completions", chat(nested), /nested deeper than 64 levels/],
    [
      "a wide schema",
      "/v1/chat/completions",
      chat({ properties: properties(5_000) }),
      /more than (200 properties|5000 parts)/,
    ],
    [
      "a deep pattern",
      "/v1/chat/completions",
      chat({ type: "string", pattern: `^${"(".repeat(400)}a${")".repeat(400)}$` }),
      /a pattern with more than 64 groups/,
    ],
    [
      "a long pattern",
      "/v1/chat/completions",
      chat({ type: "string", pattern: `^${"a".repeat(5_000)}$` }),
      /1000 characters/,
    ],
    [
      "a costly pattern",
      "/v1/chat/completions",
      chat({ type: "string", pattern: "^(a{100000}){100000}$" }),
      /repetition/,
    ],
    [
      "a deep tool",
      "/v1/chat/completions",
      {
        messages: [{ role: "user", content: "hi" }],
        tools: [{ type: "function", function: { name: "a", parameters: nested } }],
      },
      /nested deeper/,
    ],
    [
      "prompts without end",
      "/v1/completions",
      { prompt: Array(5_000).fill("a") },
      /'prompt' must not have more than 2048 entries/,
    ],
  ] as const)
    it(`refuses ${what}, and answers the next`, async () => {
      const { status, json } = await server.post(path, body);
      assert.equal(status, 400);
      assert.match(json.error.message, message);
      assert.equal((await server.post("/completion", { prompt: "a", n_predict: 1 })).status, 200);
    });

  it("takes what is large and right", async () => {
    assert.equal(
      (await server.post("/v1/chat/completions", chat({ type: "object", properties: properties(150) }))).status,
      200,
    );
    const half = '{"messages":[{"role":"user","content":"\\ud800 hi"}],"max_tokens":2}';
    assert.equal((await server.post("/v1/chat/completions", half)).status, 200);
  });
});

describe("a grammar that llama.cpp can never follow to its end", () => {
  const pattern = "^((a{0,50}){0,50}){0,50}$";
  const chat = {
    messages: [{ role: "user", content: "hi" }],
    response_format: { type: "json_schema", json_schema: { schema: { type: "string", pattern } } },
  };
  const grammar = `root ::= ${'("a"?){0,30} '.repeat(14)}`;
  for (const [what, path, body] of [
    ["of a schema", "/v1/chat/completions", chat],
    ["of a request", "/completion", { prompt: "a", grammar }],
  ] as const)
    it(`${what} ends the program with the reason, so that it is started again`, async () => {
      await using server = await startServer({ args: ["-np", "2"], env: { TRIVIUM_ENGINE_SAMPLING_SECONDS: "3" } });
      const ended = once(server.process, "exit");
      await Promise.all([assert.rejects(server.post(path, { ...body, max_tokens: 9 })), ended]);
      assert.equal(server.process.exitCode, 1);
      assert.match(server.stderr(), /^E choosing one token takes longer than 3s: llama\.cpp cannot follow a grammar/m);
    });
});
