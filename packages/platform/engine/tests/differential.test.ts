/** The same requests to the engine and to a real llama-server: the same status codes, bodies and texts. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ownCommand } from "../src/index.ts";
import { differences } from "./support/compare.ts";
import { type Answer, type Event, realServer, startServer, type TestServer } from "./support/server.ts";

const { command, skip } = await realServer();
const args = ["-np", "2", "-c", "1024", "--metrics", "--props", "-a", "demo"];

/** Texts are compared only as far as the likeliest token is by far the likeliest: two builds of llama.cpp do not round alike. */
const question = { role: "user", content: "What is Trivium?" };
const base = { temperature: 0, cache_prompt: false };
const chat = (more: object = {}): object => ({ messages: [question], max_tokens: 12, ...base, ...more });
const story = (more: object = {}): object => ({ prompt: "Once upon a time", n_predict: 3, ...base, ...more });
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ type: "function", function: { name: "weather", description: "Weather of a city", parameters } }];
const call = { id: "c", type: "function", function: { name: "weather", arguments: "{}" } };
const toolTurn = [
  { role: "user", content: "Weather?" },
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "c", content: "sunny" },
];

type Row = readonly [what: string, path: string, body?: object];

/** Without a body it is read, else it is posted. */
const equal: readonly Row[] = [
  ["a chat", "/v1/chat/completions", chat()],
  ["a chat with logprobs", "/v1/chat/completions", chat({ logprobs: true, top_logprobs: 2, max_tokens: 3 })],
  ["a chat with a stop word", "/v1/chat/completions", chat({ stop: ["roads"] })],
  ["a chat with tools that are not used", "/v1/chat/completions", chat({ tools, max_tokens: 6 })],
  ["a chat that must not use its tools", "/v1/chat/completions", chat({ tools, tool_choice: "none" })],
  ["a chat with the answer of a tool", "/v1/chat/completions", chat({ messages: toolTurn, max_tokens: 1 })],
  ["a chat with a grammar", "/v1/chat/completions", chat({ grammar: 'root ::= "yes" | "no"' })],
  ["no messages at all", "/v1/chat/completions", chat({ messages: [], max_tokens: 1 })],
  [
    "an answer that is begun",
    "/v1/chat/completions",
    chat({ messages: [question, { role: "assistant", content: "It is" }], grammar: 'root ::= " a road"' }),
  ],
  ["a response", "/v1/responses", { input: question.content, ...base, max_output_tokens: 200 }],
  ["a message", "/v1/messages", { messages: [question], ...base, max_tokens: 200 }],
  ["a count of tokens", "/v1/messages/count_tokens", { messages: [question] }],
  ["a completion", "/completion", story()],
  ["a completion with chances", "/completion", story({ n_probs: 2 })],
  [
    "a completion with chances after sampling",
    "/completion",
    story({ n_probs: 2, post_sampling_probs: true, n_predict: 2 }),
  ],
  ["a completion with its tokens", "/completion", story({ return_tokens: true })],
  ["a completion with a grammar", "/completion", story({ grammar: 'root ::= "yes" | "no"', n_predict: 8 })],
  ["a grammar before a schema", "/completion", story({ grammar: 'root ::= "yes"', json_schema: {}, n_predict: 8 })],
  ["a completion with a stop word", "/completion", story({ stop: [" was"], n_predict: 8 })],
  ["chosen fields", "/completion", story({ response_fields: ["content", "generation_settings/n_predict", "none"] })],
  ["several prompts", "/completion", story({ prompt: ["Once upon", "Once upon a time"], n_predict: 2 })],
  ["tokens and text", "/completion", story({ prompt: [1, " Once upon", 261], n_predict: 1 })],
  ["an empty prompt", "/completion", story({ prompt: "", n_predict: 1 })],
  ["no token", "/completion", story({ n_predict: 0 })],
  ["penalties", "/completion", story({ repeat_penalty: 1.3, repeat_last_n: 8 })],
  ["the DRY penalty", "/completion", story({ dry_multiplier: 0.8 })],
  ["a completion of OpenAI", "/v1/completions", { prompt: "Once upon a time", max_tokens: 3, ...base }],
  ["its chances", "/v1/completions", { prompt: "Once upon a time", max_tokens: 3, logprobs: 2, ...base }],
  ["tokens of a text", "/tokenize", { content: "Hello wörld <s>", add_special: true, with_pieces: true }],
  ["tokens of a text alone", "/tokenize", { content: "Hello <s>", parse_special: false }],
  ["a text of tokens", "/detokenize", { tokens: [1284, 434, 369] }],
  ["a prompt of a chat", "/apply-template", { messages: [{ role: "system", content: "Brief." }, question] }],
  ["a prompt that is begun", "/apply-template", { messages: [question, { role: "assistant", content: "It is" }] }],
  ["a prompt without content", "/apply-template", { messages: [{ role: "user", content: null }] }],
  ["models", "/v1/models"],
  ["health", "/health"],
  ["health of the API", "/v1/health"],
  ["adapters", "/lora-adapters"],
  ["a stop word of another type", "/completion", story({ stop: 5 })],
  ["tokens of nothing", "/tokenize", {}],
  ["a text of no tokens", "/detokenize", {}],
  [
    "a completion that is repeated",
    "/completion",
    story({ prompt: "Once upon a time", seed: 7, temperature: 0.5, top_k: 1 }),
  ],
  [
    "a chat with a system message",
    "/v1/chat/completions",
    chat({ messages: [{ role: "system", content: "Brief." }, question], max_tokens: 3 }),
  ],
  [
    "a chat in parts of text",
    "/v1/chat/completions",
    chat({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is" },
            { type: "text", text: " Trivium?" },
          ],
        },
      ],
      max_tokens: 3,
    }),
  ],
  [
    "a response with instructions",
    "/v1/responses",
    { input: [question], instructions: "Brief.", ...base, max_output_tokens: 200 },
  ],
  [
    "a message with a system prompt",
    "/v1/messages",
    { system: "Brief.", messages: [question], ...base, max_tokens: 3 },
  ],
  [
    "a message with a stop word",
    "/v1/messages",
    { messages: [question], ...base, max_tokens: 50, stop_sequences: ["roads"] },
  ],
  ["limits of sampling", "/completion", story({ top_k: 1, top_p: 0.1, min_p: 0.5, temperature: 1 })],
  ["a bias", "/completion", story({ logit_bias: [[1284, 100]], n_predict: 2 })],
  ["a bias that forbids", "/completion", story({ logit_bias: [[" was", false]], n_predict: 1 })],
  ["a change of properties", "/props", {}],
];

/** Refused with the same code and the same type, in the same words. */
const refused: readonly Row[] = [
  ["no choice", "/v1/chat/completions", chat({ n: 0 })],
  ["more choices than slots", "/v1/chat/completions", chat({ n: 99 })],
  ["more completions than slots", "/v1/completions", { prompt: "x", n: 99 }],
  ["chances without logprobs", "/v1/chat/completions", chat({ top_logprobs: 3 })],
  ["a tool choice that does not exist", "/v1/chat/completions", chat({ tools, tool_choice: "sometimes" })],
  ["tools with a grammar", "/v1/chat/completions", chat({ tools, grammar: 'root ::= "a"' })],
  [
    "two beginnings of an answer",
    "/v1/chat/completions",
    chat({ messages: [question, { role: "assistant", content: "A" }, { role: "assistant", content: "B" }] }),
  ],
  [
    "a beginning that calls tools",
    "/v1/chat/completions",
    chat({ messages: [question, { role: "assistant", content: "A", tool_calls: [call] }] }),
  ],
  ["a path that does not exist", "/nosuch"],
  ["a chat that is read", "/v1/chat/completions"],
];

/** The same code and type. The words are ours: they say what to do, or name no function of the JSON library. */
const refusedInOwnWords: readonly Row[] = [
  ["a completion without a prompt", "/completion", {}],
  ["a prompt of another type", "/completion", { prompt: { a: 1 } }],
  ["a token that does not exist", "/completion", { prompt: [99_999_999] }],
  ["infill with a model that cannot", "/infill", { input_prefix: "a", input_suffix: "b" }],
  ["a slot that is saved", "/slots/0?action=save", { filename: "x" }],
  ["a slot that is erased", "/slots/0?action=erase", {}],
  ["a response without input", "/v1/responses", {}],
  ["a response to an input of another type", "/v1/responses", { input: 5 }],
  ["a template without messages", "/apply-template", {}],
  ["an unknown kind of answer", "/v1/chat/completions", chat({ response_format: { type: "xml" } })],
  ["a prompt longer than the context", "/completion", story({ prompt: "hello ".repeat(600) })],
  ["embeddings without the flag", "/v1/embeddings", { input: "x" }],
  ["ranking without the flag", "/v1/rerank", { query: "x", documents: ["y"] }],
];

/** Mistakes of the caller that llama-server takes for its own (500), or overlooks (200). Here each is 400, with what is wrong. */
const mistakes: readonly (readonly [...Required<Row>, theirs: number])[] = [
  ["a message of Anthropic without messages", "/v1/messages", { max_tokens: 3 }, 500],
  ["a count of the tokens of nothing", "/v1/messages/count_tokens", {}, 500],
  ["a message without a role", "/v1/chat/completions", chat({ messages: [{ content: "x" }] }), 500],
  ["tools of another type", "/v1/chat/completions", chat({ tools: "weather" }), 500],
  ["a schema with a grammar", "/v1/chat/completions", chat({ json_schema: {}, grammar: 'root ::= "a"' }), 500],
  ["a grammar of another type", "/completion", story({ grammar: 5 }), 200],
];

describe("compared with llama-server", { skip: skip ?? false }, () => {
  let both: readonly TestServer[];
  before(async () => {
    both = await Promise.all([ownCommand(), command!].map((one) => startServer({ command: one, args })));
  });
  after(() => Promise.all(both.map((server) => server[Symbol.asyncDispose]())));

  const ask = async ([, path, body]: Row): Promise<[mine: Answer, theirs: Answer]> => {
    const [mine, theirs] = await Promise.all(
      both.map((server) => (body === undefined ? server.get(path) : server.post(path, body))),
    );
    assert.equal(mine!.status, theirs!.status, `${mine!.text} | ${theirs!.text}`);
    return [mine!, theirs!];
  };

  for (const row of equal)
    it(`answers the same: ${row[0]}`, async () => {
      const [mine, theirs] = await ask(row);
      assert.equal(theirs.status, 200, theirs.text);
      assert.deepEqual(differences(mine.json, theirs.json), []);
    });

  for (const row of refused)
    it(`refuses the same: ${row[0]}`, async () => {
      const [mine, theirs] = await ask(row);
      assert.deepEqual(mine.json, theirs.json);
    });

  for (const row of refusedInOwnWords)
    it(`refuses with the same code: ${row[0]}`, async () => {
      const [mine, theirs] = await ask(row);
      assert.equal(mine.json.error.type, theirs.json.error.type);
    });

  for (const [what, path, body, status] of mistakes)
    it(`refuses what llama-server does not: ${what}`, async () => {
      const [mine, theirs] = await Promise.all(both.map((server) => server.post(path, body)));
      assert.deepEqual([mine!.status, theirs!.status], [400, status], `${mine!.text} | ${theirs!.text}`);
      assert.equal(mine!.json.error.type, "invalid_request_error");
    });

  it("gives several choices of one prompt", async () => {
    for (const [path, body] of [
      ["/v1/chat/completions", chat({ n: 2, max_tokens: 3 })],
      ["/v1/completions", { prompt: "Once upon a time", n: 2, max_tokens: 3, ...base }],
    ] as const) {
      const [mine, theirs] = await ask(["choices", path, body]);
      assert.deepEqual(differences(mine.json.choices, theirs.json.choices), []);
      assert.equal(mine.json.usage.prompt_tokens, theirs.json.usage.prompt_tokens);
      // llama-server counts those of the last choice only.
      assert.equal(mine.json.usage.completion_tokens, 6);
    }
  });

  const streams: readonly Row[] = [
    ["a chat", "/v1/chat/completions", chat({ stream_options: { include_usage: true } })],
    ["a chat with logprobs", "/v1/chat/completions", chat({ logprobs: true, top_logprobs: 2, max_tokens: 3 })],
    ["a chat with a grammar", "/v1/chat/completions", chat({ grammar: 'root ::= "yes" | "no"' })],
    ["a chat with a stop word", "/v1/chat/completions", chat({ stop: ["roads"] })],
    ["a chat with tools that are not used", "/v1/chat/completions", chat({ tools, max_tokens: 6 })],
    ["a completion", "/completion", story()],
    ["a completion with chances", "/completion", story({ n_probs: 2 })],
    ["a completion with a stop word", "/completion", story({ stop: [" was"], n_predict: 8 })],
    ["a completion of OpenAI", "/v1/completions", { prompt: "Once upon a time", max_tokens: 3, ...base }],
    ["a response", "/v1/responses", { input: question.content, ...base, max_output_tokens: 200 }],
    ["a message", "/v1/messages", { messages: [question], ...base, max_tokens: 200 }],
  ];
  for (const [what, path, body] of streams)
    it(`streams the same: ${what}`, async () => {
      const [mine, theirs] = await Promise.all(
        both.map(async (server) => summaryOf(await Array.fromAsync(server.events(path, { ...body, stream: true })))),
      );
      assert.deepEqual([mine!.text, mine!.kinds], [theirs!.text, theirs!.kinds]);
      for (const [at, names] of theirs!.names.entries())
        assert.deepEqual(
          names.filter((name) => !mine!.names[at]!.includes(name)),
          [],
          theirs!.kinds[at],
        );
    });

  it("measures the same, but for what only native code counts", async () => {
    const [mine, theirs] = await ask(["metrics", "/metrics"]);
    const namesIn = ({ text }: Answer): string[] => [...text.matchAll(/^llamacpp:\w+/gm)].map(([name]) => name);
    const mineNames = new Set(namesIn(mine));
    assert.deepEqual(
      namesIn(theirs).filter((name) => !mineNames.has(name)),
      ["llamacpp:n_decode_total", "llamacpp:n_busy_slots_per_decode"],
    );
  });

  it("shows a slot at work with the same fields, and frees it when the client leaves", async () => {
    const busy = await Promise.all(both.map(busySlot));
    const fields = [
      "id",
      "id_task",
      "is_processing",
      "n_ctx",
      "n_prompt_tokens",
      "next_token",
      "params",
      "speculative",
    ];
    for (const slot of busy) for (const field of fields) assert.ok(field in slot, `${field}: ${JSON.stringify(slot)}`);
    const [mine, theirs] = busy;
    assert.equal(mine.n_ctx, theirs.n_ctx);
    assert.deepEqual(
      Object.keys(mine.next_token[0]).filter((key) => !(key in theirs.next_token[0])),
      [],
    );
  });

  it("describes itself by the same names", async () => {
    const [mine, theirs] = await ask(["properties", "/props"]);
    for (const key of ["total_slots", "model_alias", "model_ftype", "bos_token", "eos_token", "chat_template"])
      assert.equal(mine.json[key], theirs.json[key], key);
    assert.deepEqual(mine.json.modalities, theirs.json.modalities);
    const [a, b] = [mine, theirs].map(({ json }) => json.default_generation_settings);
    assert.equal(a.n_ctx, b.n_ctx);
    // What the engine shows of the defaults has llama-server's values.
    const { reasoning_format: _, ...shown } = a.params;
    const known = Object.fromEntries(Object.keys(shown).map((key) => [key, b.params[key]]));
    assert.deepEqual(differences(shown, known), []);
  });
});

/** A slot while it computes, of a client that then leaves. A machine under load may have finished before it was asked. */
async function busySlot(server: TestServer): Promise<Event> {
  for (let attempts = 20; attempts > 0; attempts -= 1) {
    const gone = new AbortController();
    const body = { prompt: "Once", n_predict: 450, ignore_eos: true, stream: true };
    const stream = server.events("/completion", body, gone.signal);
    await stream.next();
    const slot = (await server.get("/slots")).json.find((one: Event) => one.is_processing);
    gone.abort();
    await Array.fromAsync(stream).catch(() => []);
    while ((await server.get("/slots")).json.some((one: Event) => one.is_processing));
    if (slot !== undefined) return slot;
  }
  throw new Error("no slot was seen at work");
}

interface StreamSummary {
  readonly text: string;
  /** What each run of alike events is, and the fields that they have. */
  readonly kinds: readonly string[];
  readonly names: readonly (readonly string[])[];
}

/** What a stream came to, however its text was divided into events. */
function summaryOf(events: readonly Event[]): StreamSummary {
  const all = events.map((event) => ({ kind: kindOf(event), names: namesOf(event) }));
  const runs = all.filter(({ kind }, at) => kind !== all[at - 1]?.kind);
  return {
    text: events.map(textOf).join("").trim(),
    kinds: runs.map(({ kind }) => kind),
    names: runs.map(({ names }) => names),
  };
}

function textOf(event: Event): string {
  const [choice] = event.choices ?? [];
  const given = choice?.delta?.content ?? choice?.text ?? event.delta?.text ?? event.content ?? event.delta;
  return typeof given === "string" ? given : "";
}

/** Its type, why it ends the answer, and what of the answer it brings. */
function kindOf(event: Event): string {
  if (typeof event === "string") return event;
  const [choice] = event.choices ?? [];
  const brings = Object.keys(choice?.delta ?? {}).sort();
  return [event.type, event.object, choice?.finish_reason, event.stop_type, ...brings].filter(Boolean).join(" ");
}

function namesOf(event: Event): string[] {
  const [choice] = event.choices ?? [];
  const parts = [event, choice, event.response, event.message].filter(
    (part) => typeof part === "object" && part !== null,
  );
  return parts.flatMap((part) => Object.keys(part)).filter((name) => name !== "timings");
}
