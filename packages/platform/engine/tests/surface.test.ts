/** What a client of llama-server may rely on: the same suite for our engine and for a real llama-server where there is one. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ownCommand } from "../src/index.ts";
import { type Contestant, type Event, realServer, startServer, type TestServer } from "./support/server.ts";

const real = await realServer();
const contestants: (Contestant & { readonly name: string })[] = [
  { name: "our engine", command: ownCommand() },
  { name: "llama-server", ...real },
];

const ask = (content: string, more: object = {}): object => ({ messages: [{ role: "user", content }], ...more });
const story = "Tell me a story about a fox.";

for (const { name, command, skip, noSchemas } of contestants) {
  describe(name, { skip: skip ?? false }, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({
        command: command!,
        args: ["-np", "4", "-c", "2048", "--metrics", "--props", "-a", "demo,other"],
      });
    });
    after(() => server[Symbol.asyncDispose]());

    it("answers a question", async () => {
      const { status, json } = await server.post(
        "/v1/chat/completions",
        ask("What is Trivium?", { temperature: 0.2, seed: 1 }),
      );
      assert.equal(status, 200);
      assert.match(json.choices[0].message.content, /^ ?Trivium is /);
      assert.equal(json.object, "chat.completion");
      assert.equal(json.model, "demo");
      assert.match(json.id, /^chatcmpl-/);
      const { finish_reason, index, message } = json.choices[0];
      assert.deepEqual(
        { finish_reason, index, role: message.role },
        { finish_reason: "stop", index: 0, role: "assistant" },
      );
      assert.equal(json.usage.prompt_tokens, 12);
      assert.equal(json.usage.total_tokens, json.usage.prompt_tokens + json.usage.completion_tokens);
      assert.equal(json.timings.predicted_n, json.usage.completion_tokens);
    });

    it("streams the same text that it gives at once", async () => {
      const body = ask(story, { temperature: 0, max_tokens: 40 });
      const whole = await server.post("/v1/chat/completions", body);
      const events: Event[] = await Array.fromAsync(
        server.events("/v1/chat/completions", { ...body, stream: true, stream_options: { include_usage: true } }),
      );
      assert.equal(events.at(-1), "[DONE]");
      const chunks = events.slice(0, -1);
      assert.deepEqual(chunks[0].choices[0].delta, { role: "assistant", content: null });
      assert.equal(textOf(chunks), whole.json.choices[0].message.content);
      assert.equal(chunks.at(-2).choices[0].finish_reason, "length");
      assert.deepEqual(chunks.at(-1).choices, []);
      assert.equal(chunks.at(-1).usage.completion_tokens, 40);
      assert.ok(chunks.length > 30, "tokens come one by one");
      assert.ok(chunks.every((chunk) => chunk.object === "chat.completion.chunk" && chunk.id === chunks[0].id));
    });

    it("leaves usage out of a stream unless it is asked for", async () => {
      const events: Event[] = await Array.fromAsync(
        server.events("/v1/chat/completions", ask("hi", { stream: true, max_tokens: 3 })),
      );
      assert.ok(events.slice(0, -1).every((chunk) => chunk.usage === undefined && chunk.choices.length === 1));
      assert.ok(events.at(-2).timings.predicted_n > 0);
    });

    it("stops at a stop word and does not show it", async () => {
      const body = ask(story, { temperature: 0, max_tokens: 60 });
      const { json: free } = await server.post("/v1/chat/completions", body);
      const text: string = free.choices[0].message.content;
      const stop = text.slice(30, 37);
      const { json } = await server.post("/v1/chat/completions", { ...body, stop: ["no such words", stop] });
      assert.equal(json.choices[0].message.content, text.slice(0, text.indexOf(stop)));
      assert.equal(json.choices[0].finish_reason, "stop");
      const chunks = (
        await Array.fromAsync(server.events("/v1/chat/completions", { ...body, stop, stream: true }))
      ).slice(0, -1);
      assert.equal(textOf(chunks), text.slice(0, text.indexOf(stop)));
    });

    it("says the same for the same seed", async () => {
      const say = async (seed: number): Promise<string> =>
        (await server.post("/v1/chat/completions", ask(story, { temperature: 1.2, seed, max_tokens: 40 }))).json
          .choices[0].message.content;
      assert.equal(await say(7), await say(7));
      assert.notEqual(await say(7), await say(8));
    });

    it("gives several choices", async () => {
      const { json } = await server.post(
        "/v1/chat/completions",
        ask(story, { n: 3, max_tokens: 12, temperature: 1.5 }),
      );
      assert.deepEqual(
        json.choices.map(({ index }: { index: number }) => index),
        [0, 1, 2],
      );
      const chunks = (
        await Array.fromAsync(server.events("/v1/chat/completions", ask(story, { n: 2, max_tokens: 5, stream: true })))
      ).slice(0, -1);
      assert.deepEqual([...new Set(chunks.map((chunk) => chunk.choices[0].index))].sort(), [0, 1]);
    });

    it("keeps to a grammar, characters of several bytes whole", async () => {
      const grammar = 'root ::= "häé🙂漢" [0-9]{2,3} "…"';
      const { json } = await server.post("/completion", { prompt: "Hello", grammar, n_predict: 60 });
      assert.match(json.content, /^häé🙂漢\d{2,3}…$/u);
      const events: Event[] = await Array.fromAsync(
        server.events("/completion", { prompt: "Hello", grammar, n_predict: 60, stream: true }),
      );
      assert.match(events.map(({ content }) => content).join(""), /^häé🙂漢\d{2,3}…$/u);
      assert.ok(
        events.every(({ content }) => !content.includes("\ufffd")),
        "no event holds half a character",
      );
    });

    it("keeps to a JSON schema", { skip: noSchemas ?? false }, async () => {
      const schema = {
        type: "object",
        properties: {
          name: { enum: ["fox", "owl"] },
          legs: { type: "integer", minimum: 1, maximum: 9 },
          tags: { type: "array", items: { type: "boolean" }, maxItems: 2 },
        },
        required: ["name", "legs", "tags"],
        additionalProperties: false,
      };
      const { json } = await server.post("/completion", {
        prompt: "A fox as JSON: ",
        json_schema: schema,
        n_predict: 200,
        temperature: 0,
      });
      const value = JSON.parse(json.content);
      assert.deepEqual(Object.keys(value), ["name", "legs", "tags"]);
      assert.ok(["fox", "owl"].includes(value.name) && Number.isInteger(value.legs) && Array.isArray(value.tags));
    });

    it("completes a plain prompt, one or several", async () => {
      const { json } = await server.post("/v1/completions", { prompt: ["Once upon", "Far away"], max_tokens: 4 });
      assert.equal(json.object, "text_completion");
      assert.equal(json.choices.length, 2);
      assert.deepEqual(Object.keys(json.choices[0]), ["text", "index", "logprobs", "finish_reason"]);
      const events: Event[] = await Array.fromAsync(
        server.events("/v1/completions", { prompt: "Once upon", max_tokens: 4, stream: true }),
      );
      assert.equal(events.at(-1), "[DONE]");
      assert.equal(events.at(-2).choices[0].finish_reason, "length");
      assert.equal(events.at(-2).usage.completion_tokens, 4);
    });

    it("completes on llama-server's own route", async () => {
      const { json } = await server.post("/completion", { prompt: "Once upon", n_predict: 4, temperature: 0 });
      const { stop, stop_type, tokens_predicted, tokens_evaluated, truncated, index } = json;
      assert.deepEqual(
        { stop, stop_type, tokens_predicted, truncated, index },
        { stop: true, stop_type: "limit", tokens_predicted: 4, truncated: false, index: 0 },
      );
      assert.ok(tokens_evaluated >= 2);
      const ofTokens = await server.post("/completion", { prompt: [1, 323, 532], n_predict: 2 });
      assert.equal(ofTokens.json.tokens_evaluated, 3);
    });

    it("goes on past the end of the text when told to", async () => {
      const { json } = await server.post("/completion", {
        prompt: "User: hi\nAssistant:",
        n_predict: 120,
        ignore_eos: true,
      });
      assert.equal(json.tokens_predicted, 120);
      assert.equal(json.stop_type, "limit");
    });

    it("ends where the context does", async () => {
      const { json } = await server.post("/completion", { prompt: "Once upon", n_predict: -1, ignore_eos: true });
      assert.equal(json.stop_type, "limit");
      assert.ok(Math.abs(json.tokens_predicted + json.tokens_evaluated - 512) <= 2, `${json.tokens_predicted}`);
    });

    it("shows chances of tokens", async () => {
      const { json } = await server.post(
        "/v1/chat/completions",
        ask("hi", { logprobs: true, top_logprobs: 2, max_tokens: 3, temperature: 1 }),
      );
      const { content } = json.choices[0].logprobs;
      assert.equal(content.length, 3);
      for (const token of content) {
        assert.ok(token.logprob <= 0 && token.top_logprobs.length >= 1 && token.top_logprobs.length <= 2);
        assert.deepEqual([...Buffer.from(token.token)], token.bytes);
      }
    });

    it("lets a bias decide, by token, by text and as OpenAI writes it", async () => {
      const body = { prompt: "Once upon", n_predict: 3, temperature: 0 };
      const { content } = (await server.post("/completion", body)).json;
      for (const logit_bias of [[[434, 1000]], { 434: 1000 }]) {
        const { json } = await server.post("/completion", { ...body, logit_bias });
        assert.equal(json.content, " wor".repeat(3));
      }
      const without = await server.post("/completion", { ...body, logit_bias: [[" a", false]] });
      assert.equal(without.status, 200);
      assert.notEqual(without.json.content, content);
    });

    it("reads a chat only from where it is new", async () => {
      const messages = [{ role: "user", content: story }];
      let read = 0;
      let whole = 0;
      for (let turn = 0; turn < 6; turn++) {
        const { json } = await server.post("/v1/chat/completions", { messages, max_tokens: 16, temperature: 0 });
        const { prompt_n, cache_n } = json.timings;
        assert.equal(prompt_n + cache_n, json.usage.prompt_tokens);
        assert.equal(json.usage.prompt_tokens_details.cached_tokens, cache_n);
        if (turn > 0) assert.ok(cache_n > 0, `turn ${turn}: ${JSON.stringify(json.timings)}`);
        read += prompt_n;
        whole += json.usage.prompt_tokens;
        messages.push(
          { role: "assistant", content: json.choices[0].message.content },
          { role: "user", content: "And then?" },
        );
      }
      assert.ok(read < whole / 2, `${read} of ${whole} tokens`);
    });

    it("gives the same text from a cache as without one", async () => {
      const body = { prompt: "Once upon a time there was a fox", n_predict: 24, temperature: 0 };
      const fresh = await server.post("/completion", { ...body, cache_prompt: false });
      await server.post("/completion", body);
      const cached = await server.post("/completion", body);
      assert.equal(fresh.json.timings.cache_n, 0);
      assert.ok(cached.json.timings.cache_n > 0);
      assert.equal(cached.json.content, fresh.json.content);
    });

    it("answers as a response of OpenAI, at once and as events", async () => {
      const body = { input: "What is Trivium?", instructions: "Be brief.", temperature: 0, max_output_tokens: 60 };
      const { status, json } = await server.post("/v1/responses", body);
      assert.equal(status, 200);
      assert.equal(json.object, "response");
      const [message] = json.output;
      assert.deepEqual([message.type, message.role, message.content[0].type], ["message", "assistant", "output_text"]);
      assert.match(message.content[0].text, /^ ?Trivium is /);
      assert.equal(json.usage.total_tokens, json.usage.input_tokens + json.usage.output_tokens);
      const events: Event[] = await Array.fromAsync(server.events("/v1/responses", { ...body, stream: true }));
      assert.equal(events[0].type, "response.created");
      const deltas = events.filter(({ type }) => type === "response.output_text.delta").map(({ delta }) => delta);
      assert.equal(deltas.join("").trim(), message.content[0].text.trim());
      assert.equal(events.at(-1).type, "response.completed");
      assert.equal(events.at(-1).response.output[0].content[0].text.trim(), message.content[0].text.trim());
      assert.equal((await server.post("/v1/responses", {})).json.error.message, "'input' is required");
    });

    it("answers as a message of Anthropic, at once and as events", async () => {
      const body = { messages: [{ role: "user", content: "What is Trivium?" }], temperature: 0, max_tokens: 60 };
      const { status, json } = await server.post("/v1/messages", body);
      assert.equal(status, 200);
      assert.deepEqual([json.type, json.role, json.stop_reason], ["message", "assistant", "end_turn"]);
      assert.match(json.content[0].text, /^ ?Trivium is /);
      const { input_tokens, cache_read_input_tokens } = json.usage;
      const count = await server.post("/v1/messages/count_tokens", body);
      assert.equal(input_tokens + cache_read_input_tokens, count.json.input_tokens);
      const events: Event[] = await Array.fromAsync(server.events("/v1/messages", { ...body, stream: true }));
      const types = events.map(({ type }) => type);
      assert.deepEqual(types.slice(0, 2), ["message_start", "content_block_start"]);
      assert.deepEqual(types.slice(-3), ["content_block_stop", "message_delta", "message_stop"]);
      const text = events.map(({ delta }) => delta?.text ?? "").join("");
      assert.equal(text.trim(), json.content[0].text.trim());
      const cut = await server.post("/v1/messages", { ...body, max_tokens: 2 });
      assert.equal(cut.json.stop_reason, "max_tokens");
    });

    it("turns text into tokens and back", async () => {
      assert.deepEqual((await server.post("/tokenize", { content: "Hello world" })).json, { tokens: [1284, 434, 369] });
      assert.deepEqual((await server.post("/tokenize", { content: "Hello", add_special: true })).json, {
        tokens: [1, 1284],
      });
      const { json } = await server.post("/tokenize", { content: "Hello", with_pieces: true });
      assert.deepEqual(json, { tokens: [{ id: 1284, piece: " Hello" }] });
      assert.deepEqual((await server.post("/detokenize", { tokens: [1284, 434, 369] })).json, {
        content: " Hello world",
      });
      assert.deepEqual((await server.post("/tokenize", {})).json, { tokens: [] });
      assert.equal((await server.post("/detokenize", { tokens: ["a"] })).status, 400);
    });

    it("shows the prompt that a chat becomes", async () => {
      const { json } = await server.post("/apply-template", ask("hi"));
      assert.deepEqual(json, { prompt: "User: hi\nAssistant:" });
    });

    it("lists the model by its alias", async () => {
      for (const path of ["/v1/models", "/models"]) {
        const { json } = await server.get(path);
        assert.equal(json.data[0].id, "demo");
        assert.deepEqual(json.data[0].aliases, ["demo", "other"]);
        const { n_vocab, n_ctx_train, n_embd, n_params, size } = json.data[0].meta;
        assert.deepEqual(
          { n_vocab, n_ctx_train, n_embd, n_params, size },
          { n_vocab: 1728, n_ctx_train: 512, n_embd: 192, n_params: 2767296, size: 2947584 },
        );
      }
    });

    it("describes itself", async () => {
      assert.deepEqual((await server.get("/health")).json, { status: "ok" });
      const { json } = await server.get("/props");
      const { total_slots, model_alias, model_ftype, bos_token, eos_token, endpoint_metrics } = json;
      assert.deepEqual(
        { total_slots, model_alias, model_ftype, bos_token, eos_token, endpoint_metrics },
        {
          total_slots: 4,
          model_alias: "demo",
          model_ftype: "Q8_0",
          bos_token: "<s>",
          eos_token: "</s>",
          endpoint_metrics: true,
        },
      );
      assert.equal(json.default_generation_settings.n_ctx, 512);
      assert.equal(json.default_generation_settings.params.top_k, 40);
      assert.match(json.chat_template, /Assistant/);
      const slots = (await server.get("/slots")).json;
      assert.deepEqual(
        slots.map(({ id, n_ctx, is_processing }: Event) => ({ id, n_ctx, is_processing })),
        [0, 1, 2, 3].map((id) => ({ id, n_ctx: 512, is_processing: false })),
      );
      const metrics = (await server.get("/metrics")).text;
      assert.match(metrics, /^llamacpp:tokens_predicted_total [1-9]/m);
      assert.match(metrics, /^llamacpp:requests_processing 0$/m);
      assert.match(metrics, /^llamacpp:requests_deferred 0$/m);
    });

    const refusals: [what: string, path: string, body: unknown, status: number, type: string, message: RegExp][] = [
      ["no JSON", "/v1/chat/completions", "{", 400, "invalid_request_error", /parse error/],
      ["no messages", "/v1/chat/completions", {}, 400, "invalid_request_error", /^'messages' is required$/],
      [
        "messages of another type",
        "/v1/chat/completions",
        { messages: "x" },
        400,
        "invalid_request_error",
        /^Expected 'messages' to be an array$/,
      ],
      [
        "a message without content",
        "/v1/chat/completions",
        { messages: [{ role: "user" }] },
        400,
        "invalid_request_error",
        /must contain 'content'/,
      ],
      [
        "content of another type",
        "/v1/chat/completions",
        { messages: [{ role: "user", content: 5 }] },
        400,
        "invalid_request_error",
        /string or an array/,
      ],
      [
        "a message without a role",
        "/v1/chat/completions",
        { messages: [{ content: "x" }] },
        // The mistake of the caller; llama-server takes it for its own.
        name === "llama-server" ? 500 : 400,
        name === "llama-server" ? "server_error" : "invalid_request_error",
        /Missing 'role'/,
      ],
      [
        "a temperature that is text",
        "/v1/chat/completions",
        ask("hi", { temperature: "x" }),
        400,
        "invalid_request_error",
        /^Field 'temperature'.*must be number, but is string$/,
      ],
      [
        "a limit that is text",
        "/v1/chat/completions",
        ask("hi", { max_tokens: "x" }),
        400,
        "invalid_request_error",
        /^Field 'max_tokens'/,
      ],
      [
        "an unknown format",
        "/v1/chat/completions",
        ask("hi", { response_format: { type: "foo" } }),
        400,
        "invalid_request_error",
        /but got: foo$/,
      ],
      [
        "a grammar that cannot be read",
        "/completion",
        { prompt: "x", grammar: "root ::= [" },
        400,
        "invalid_request_error",
        /failed to parse grammar/,
      ],
      [
        "a picture without a projector",
        "/v1/chat/completions",
        {
          messages: [
            { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,aaaa" } }] },
          ],
        },
        500,
        "server_error",
        /^image input is not supported/,
      ],
      [
        "a prompt that is too long",
        "/v1/chat/completions",
        ask("hello ".repeat(600)),
        400,
        "exceed_context_size_error",
        /^request \(\d+ tokens\) exceeds the available context size \(512 tokens\)/,
      ],
      [
        "embeddings without the flag",
        "/v1/embeddings",
        { input: "x" },
        501,
        "not_supported_error",
        /Start it with `--embeddings`/,
      ],
      [
        "ranking without the flag",
        "/v1/rerank",
        { query: "x", documents: ["y"] },
        501,
        "not_supported_error",
        /Start it with `--reranking`/,
      ],
      ["a path that is not there", "/nosuch", {}, 404, "not_found_error", /^File Not Found$/],
    ];
    for (const [what, path, body, status, type, message] of refusals)
      it(`refuses ${what}`, async () => {
        const answer = await server.post(path, body);
        assert.equal(answer.status, status);
        assert.equal(answer.json.error.type, type);
        assert.equal(answer.json.error.code, status);
        assert.match(answer.json.error.message, message);
      });

    it("takes any model name, parts of text and both names of the limit", async () => {
      const messages = [
        {
          role: "user",
          content: [
            { type: "text", text: "hi" },
            { type: "text", text: "ho" },
          ],
        },
      ];
      const { status, json } = await server.post("/v1/chat/completions", {
        messages,
        model: "zzz",
        max_completion_tokens: 2,
      });
      assert.equal(status, 200);
      assert.equal(json.usage.completion_tokens, 2);
      assert.equal(json.choices[0].finish_reason, "length");
    });

    it("frees the slot of a client that went away", async () => {
      const gone = new AbortController();
      const stream = server.events(
        "/completion",
        { prompt: "Once", n_predict: 500, ignore_eos: true, stream: true },
        gone.signal,
      );
      await stream.next();
      assert.equal(await busySlots(server), 1);
      gone.abort();
      await assert.rejects(Array.fromAsync(stream));
      await untilIdle(server);
    });
  });

  describe(`${name} for embeddings and with a key`, { skip: skip ?? false }, () => {
    let server: TestServer;
    const key = { authorization: "Bearer sekret" };
    before(async () => {
      server = await startServer({
        command: command!,
        args: ["-np", "2", "--embeddings", "--pooling", "mean", "--api-key", "first,sekret", "-a", "demo"],
      });
    });
    after(() => server[Symbol.asyncDispose]());

    it("embeds texts", async () => {
      const { status, json } = await server.post("/v1/embeddings", { input: ["Hello", "world"] }, key);
      assert.equal(status, 200);
      assert.equal(json.object, "list");
      assert.deepEqual(
        json.data.map(({ index, object, embedding }: Event) => [index, object, embedding.length]),
        [
          [0, "embedding", 192],
          [1, "embedding", 192],
        ],
      );
      assert.equal(json.usage.prompt_tokens, 5);
      const length = Math.hypot(...json.data[0].embedding);
      assert.ok(Math.abs(length - 1) < 1e-3, "normalized");
      // Known from llama-server: the same model with the same pooling gives the same vector.
      assert.ok(Math.abs(json.data[0].embedding[0] - 0.4318) < 0.01, String(json.data[0].embedding[0]));
    });

    it("embeds in base64 and on llama-server's own route", async () => {
      const { json } = await server.post("/v1/embeddings", { input: "Hello", encoding_format: "base64" }, key);
      assert.equal(Buffer.from(json.data[0].embedding, "base64").length, 192 * 4);
      const own = await server.post("/embedding", { content: "Hello" }, key);
      assert.equal(own.json[0].embedding[0].length, 192);
    });

    it("embeds tokens as they are", async () => {
      const text = await server.post("/v1/embeddings", { input: "Hello" }, key);
      const tokens = await server.post("/v1/embeddings", { input: [1, 1284] }, key);
      const lists = await server.post(
        "/v1/embeddings",
        {
          input: [
            [1, 1284],
            [1284, 434],
          ],
        },
        key,
      );
      assert.equal(tokens.json.usage.prompt_tokens, 2);
      assertNear(tokens.json.data[0].embedding, text.json.data[0].embedding);
      assertNear(lists.json.data[0].embedding, text.json.data[0].embedding);
      assert.equal(lists.json.usage.prompt_tokens, 4);
    });

    it("refuses what it cannot embed", async () => {
      assert.equal(
        (await server.post("/v1/embeddings", {}, key)).json.error.message,
        '"input" or "content" must be provided',
      );
      const { status, json } = await server.post("/v1/embeddings", { input: "hello ".repeat(600) }, key);
      assert.equal(status, 500);
      assert.match(json.error.message, /is too large to process/);
    });

    it("wants the key everywhere but for its health", async () => {
      assert.equal((await server.get("/health")).status, 200);
      for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: "sekre" }] as Record<
        string,
        string
      >[]) {
        const { status, json } = await server.get("/v1/models", headers);
        assert.equal(status, 401);
        assert.deepEqual(json.error, { message: "Invalid API Key", type: "authentication_error", code: 401 });
      }
      assert.equal((await server.get("/v1/models", { "x-api-key": "first" })).status, 200);
      assert.equal((await server.get("/metrics", key)).status, 501);
    });
  });
}

function assertNear(a: readonly number[], b: readonly number[]): void {
  const cosine = a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  assert.ok(cosine > 0.999, `cosine ${cosine}`);
}

function textOf(chunks: readonly Event[]): string {
  return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
}

async function busySlots(server: TestServer): Promise<number> {
  return (await server.get("/slots")).json.filter((slot: Event) => slot.is_processing).length;
}

async function untilIdle(server: TestServer): Promise<void> {
  const end = performance.now() + 90_000;
  while ((await busySlots(server)) > 0) assert.ok(performance.now() < end, "a slot stays busy");
}
