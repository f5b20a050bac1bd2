import assert from "node:assert/strict";
import { test } from "node:test";
import { parseImageName } from "./image-name.ts";
import { matchesImage } from "./image-pattern.ts";
import type { ImageCall, ImageMachine } from "./image-row.ts";
import { knownRows, planImage } from "./image-table.ts";
import { plainWords, scriptOf } from "./shell-words.ts";
import { tellListening } from "./tell-listening.ts";
import { ImageTableError, parseImageRows } from "./user-rows.ts";

const digest = `sha256:${"a".repeat(64)}`;

test("names of images in their parts", () => {
  const parse = (text: string) => {
    const name = parseImageName(text);
    return name && [name.registry, name.repository, name.tag, name.digest];
  };
  for (const [text, parts] of [
    ["redis", ["docker.io", "library/redis", undefined, undefined]],
    ["redis:7.2", ["docker.io", "library/redis", "7.2", undefined]],
    ["acme/app", ["docker.io", "acme/app", undefined, undefined]],
    ["localhost/app:1", ["localhost", "app", "1", undefined]],
    ["localhost:5000/a/b:1", ["localhost:5000", "a/b", "1", undefined]],
    [`ghcr.io/a/b:c@${digest}`, ["ghcr.io", "a/b", "c", digest]],
    [`a/b@${digest}`, ["docker.io", "a/b", undefined, digest]],
    ["", undefined],
    ["Redis", undefined],
    ["a//b", undefined],
    ["a:b:c", undefined],
    ["a@sha256:short", undefined],
    ["a b", undefined],
    ["../etc", undefined],
  ] as const) {
    assert.deepEqual(parse(text), parts, text);
  }
});

test("patterns mean images with and without registry, tag and digest", () => {
  for (const [pattern, image, is] of [
    ["redis", "redis", true],
    ["redis", "redis:7", true],
    ["redis", `docker.io/library/redis:7@${digest}`, true],
    ["redis:7*", "redis:7.2.4", true],
    ["redis:7*", "redis:6", false],
    ["redis:latest", "redis", true],
    ["redis", "acme/redis", false],
    ["redis", "redis-tool", false],
    ["*/redis", "quay.io/acme/redis:1", true],
    ["docker.io/library/redis", "redis", true],
    ["ghcr.io/ggml-org/llama.cpp:*", "ghcr.io/ggml-org/llama.cpp:server-cuda", true],
    ["ghcr.io/ggml-org/llama.cpp:*", `ghcr.io/ggml-org/llama.cpp@${digest}`, false],
    ["ghcr.io/ggml-org/llama.cpp*", `ghcr.io/ggml-org/llama.cpp@${digest}`, true],
    [`*@${digest}`, `a/b:c@${digest}`, true],
    ["app:?", "app:1", true],
    ["app:?", "app:12", false],
    ["a.b/c", "axb/c", false],
  ] as const) {
    assert.equal(matchesImage(pattern, image), is, `${pattern} ${image}`);
  }
  // With a pattern that backtracks this would not come back.
  assert.equal(matchesImage(`${"*a".repeat(60)}b`, "a".repeat(200)), false);
});

test("plain commands are read out of scripts, others are left to a shell", () => {
  const env = new Map([
    ["MODEL", "/m/x.gguf"],
    ["TWO", "a b"],
  ]);
  for (const [script, words] of [
    ["exec vllm serve $MODEL --port 8000", ["vllm", "serve", "/m/x.gguf", "--port", "8000"]],
    [`a "b c" 'd $MODEL' "\${MODEL}x" \\$`, ["a", "b c", "d $MODEL", "/m/x.ggufx", "$"]],
    ["python3 -m x \\\n  --flag=1", ["python3", "-m", "x", "--flag=1"]],
    ['a "$TWO"', ["a", "a b"]],
    ["a $TWO", undefined],
    ["a; b", undefined],
    ["a && b", undefined],
    ["a | b", undefined],
    ["a > b", undefined],
    ["a *.gguf", undefined],
    ["a $(b)", undefined],
    ['a "$(b)"', undefined],
    [`a "\${B:-c}"`, undefined],
    ["a `b`", undefined],
    ["X=1 a", undefined],
    ["a\nb", undefined],
    ["a 'b", undefined],
    ["", undefined],
  ] as const) {
    assert.deepEqual(plainWords(script, env), words, script);
  }
  assert.equal(scriptOf(["/bin/bash", "-lc", "--", "x"]), "x");
  assert.equal(scriptOf(["sh", "-c", "x", "y"]), "x");
  assert.equal(scriptOf(["sh", "file.sh"]), undefined);
  assert.equal(scriptOf(["echo", "-c", "x"]), undefined);
});

const machine = (
  programs: readonly string[] = [],
  gguf: Record<string, string> = {},
  modules: string[] = [],
): ImageMachine => ({
  hasModule: async (module) => modules.includes(module),
  which: (program) => {
    if (program.startsWith("/")) return programs.includes(program) ? program : undefined;
    return programs.includes(program) ? `/usr/bin/${program}` : undefined;
  },
  findGguf: async (path) => (path.endsWith(".gguf") ? path : gguf[path]),
  shims: { folder: "/shims", path: "/shims:/usr/bin" },
  programs: { engine: ["/n", "engine.ts"], weights: ["/n", "weights.ts"] },
});

const plan = (call: Partial<ImageCall> & { image: string }, on = machine()) =>
  planImage(knownRows, { command: [], args: [], env: new Map(), secrets: new Set(), ...call }, on);

async function argvOf(call: Partial<ImageCall> & { image: string }, on?: ImageMachine): Promise<readonly string[]> {
  const found = await plan(call, on);
  assert.equal(found.is, "runs", JSON.stringify(found));
  return found.is === "runs" ? found.argv : [];
}

test("images of llama.cpp run as the local engine", async () => {
  const engine = ["/n", "engine.ts"];
  const flags = ["--model", "/v/x.gguf", "--port", "9000"];
  for (const call of [
    { image: "ghcr.io/ggml-org/llama.cpp:server", args: flags },
    { image: `ghcr.io/ggml-org/llama.cpp:server-cuda@${digest}`, command: ["/app/llama-server"], args: flags },
    { image: "ghcr.io/ggerganov/llama.cpp:server", command: ["llama-server", ...flags] },
    { image: "ghcr.io/ggml-org/llama.cpp:full", args: ["--server", ...flags] },
    {
      image: "acme/my-llama-server:1",
      command: ["/bin/sh", "-c"],
      args: [`exec /app/llama-server ${flags.join(" ")}`],
    },
  ]) {
    assert.deepEqual(await argvOf(call), [...engine, ...flags], JSON.stringify(call));
  }
});

test("a script finds the engine by the name it has in the image", async () => {
  const script = "ls /app/llama-server.d; exec /app/llama-server --host 0.0.0.0 --port 9000; llama-server";
  const found = await plan(
    { image: "ghcr.io/ggml-org/llama.cpp:server", command: ["sh", "-c", script] },
    machine(["sh"]),
  );
  assert.deepEqual(found, {
    is: "runs",
    argv: [
      "/usr/bin/sh",
      "-c",
      "ls /app/llama-server.d; exec /shims/llama-server --host 0.0.0.0 --port 9000; llama-server",
    ],
    env: { PATH: "/shims:/usr/bin" },
    listening: { host: { env: "TRIVIUM_LISTEN_HOST" }, port: { env: "TRIVIUM_LISTEN_PORT", usual: 9000 } },
  });
});

test("model servers run as themselves where they are installed", async () => {
  const args = ["--model", "org/m", "--dtype", "half"];
  assert.deepEqual(await argvOf({ image: "vllm/vllm-openai:v0.9", args }, machine(["vllm"])), [
    "/usr/bin/vllm",
    "serve",
    ...args,
  ]);
  const command = ["python3", "-m", "sglang.launch_server", "--model-path", "org/m"];
  assert.deepEqual(await argvOf({ image: "lmsysorg/sglang:v0.5", command }, machine(["python3"], {}, ["sglang"])), [
    "/usr/bin/python3",
    ...command.slice(1),
  ]);
});

test("where the weights are GGUF, the engine stands in for servers that are not installed, and says what it dropped", async () => {
  const vllm = await plan(
    {
      image: "vllm/vllm-openai:v0.9",
      command: ["bash", "-lc"],
      args: [
        'vllm serve /v/m --served-model-name chat "chat-2" --max-model-len=4096 --dtype half --enforce-eager --api-key k3y --seed -1',
      ],
    },
    machine(["bash"], { "/v/m": "/v/m/a.gguf" }),
  );
  assert.deepEqual(vllm, {
    is: "runs",
    argv: [
      "/n",
      "engine.ts",
      "--model",
      "/v/m/a.gguf",
      "--alias",
      "chat,chat-2",
      "--ctx-size",
      "4096",
      "--port",
      "8000",
    ],
    env: { LLAMA_API_KEY: "k3y" },
    listening: vllm.is === "runs" ? vllm.listening : {},
    notes: [
      "trivium: vLLM is not installed here; the local engine serves /v/m/a.gguf",
      "trivium: flags without a meaning for it were dropped: --dtype, --enforce-eager, --seed",
    ],
  });
  const sglang = {
    image: "lmsysorg/sglang",
    args: [
      "python3",
      "-m",
      "sglang.launch_server",
      "--model-path",
      "/v/x.gguf",
      "--context-length",
      "512",
      "--port",
      "1",
    ],
  };
  assert.deepEqual(await argvOf(sglang, machine(["python3"])), [
    "/n",
    "engine.ts",
    "--model",
    "/v/x.gguf",
    "--ctx-size",
    "512",
    "--port",
    "1",
  ]);
  const tgi = {
    image: "ghcr.io/huggingface/text-generation-inference:3",
    env: new Map([
      ["MODEL_ID", "/v/x.gguf"],
      ["PORT", "80"],
    ]),
  };
  assert.deepEqual(await argvOf(tgi), ["/n", "engine.ts", "--model", "/v/x.gguf", "--port", "80"]);
  const hub = await plan({ image: "vllm/vllm-openai", args: ["--model", "org/m"] });
  assert.match(
    hub.is === "unknown" ? hub.message : "",
    /vLLM is not installed on this node, and org\/m has no GGUF weights/,
  );
});

test("downloaders run as trivium-weights, each asked in its way", async () => {
  const weights = ["/n", "weights.ts"];
  const fetch = [...weights, "fetch", "hf://org/m", "--to", "/v/cache"];
  assert.deepEqual(
    await argvOf({ image: "kserve/storage-initializer:v0.16.0", args: ["hf://org/m", "/v/cache"] }),
    fetch,
  );
  const command = ["/storage-initializer/scripts/initializer-entrypoint", "hf://org/m", "/v/cache"];
  assert.deepEqual(await argvOf({ image: "kserve/storage-initializer", command }), fetch);
  const artifact = {
    image: "ghcr.io/silogen/aim-artifact-downloader:0.2.0",
    args: ["hf://org/m"],
    env: new Map([["TARGET_DIR", "/v/cache"]]),
  };
  assert.deepEqual(await argvOf(artifact), fetch);
  const own = { image: "ghcr.io/acme/trivium-weights:1", args: ["fetch", "hf://org/m", "--to", "/v/cache", "--json"] };
  assert.deepEqual(await argvOf(own), [...fetch, "--json"]);
  const curl = (env: Record<string, string>) => ({
    image: "docker.io/curlimages/curl:8.18.0",
    command: ["sh", "-c", "curl $MODEL_SOURCE"],
    env: new Map(Object.entries(env)),
  });
  const source = "https://host/m.gguf?x=1";
  assert.deepEqual(await argvOf(curl({ MODEL_SOURCE: source, MODEL_PATH: "/v/k/model.gguf", MODEL_SHA256: "ab" })), [
    ...weights,
    ...["fetch", source, "--to", "/v/k", "--name", "model.gguf", "--sha256", "ab"],
  ]);
  const secret = { ...curl({ MODEL_SOURCE: source, MODEL_PATH: "/v/k/m.gguf" }), secrets: new Set(["MODEL_SOURCE"]) };
  assert.deepEqual(await argvOf(secret, machine(["sh"])), ["/usr/bin/sh", "-c", "curl $MODEL_SOURCE"]);
  const local = await argvOf(curl({ MODEL_SOURCE: "/mnt/m.gguf", MODEL_PATH: "/v/k/m.gguf" }), machine(["sh"]));
  assert.deepEqual(
    local,
    ["/usr/bin/sh", "-c", "curl $MODEL_SOURCE"],
    "a copy on this machine is the script's own business",
  );
  const many = {
    MODEL_SOURCE: "https://huggingface.co/org/m/resolve/main/",
    MODEL_FILES: "a.gguf\nb/c.gguf\n",
    CACHE_DIR: "/v/k",
  };
  assert.deepEqual(await argvOf(curl(many)), [
    ...weights,
    "fetch",
    "hf://org/m@main",
    "--to",
    "/v/k",
    "--include",
    "a.gguf",
    "--include",
    "b/c.gguf",
  ]);
  assert.deepEqual(await argvOf({ image: "curlimages/curl", args: ["-f", "http://x"] }, machine(["curl"])), [
    "/usr/bin/curl",
    "-f",
    "http://x",
  ]);
});

test("redis, shells, and a pod that only waits", async () => {
  const redis = machine(["valkey-server", "redis-cli", "sh", "sleep", "/bin/sh", "tail", "busybox"]);
  assert.deepEqual(await argvOf({ image: "redis:7.2.4", command: ["redis-server", "--appendonly", "yes"] }, redis), [
    "/usr/bin/valkey-server",
    "--appendonly",
    "yes",
  ]);
  assert.deepEqual(await argvOf({ image: "bitnami/redis" }, redis), ["/usr/bin/valkey-server"]);
  assert.deepEqual(await argvOf({ image: "redis", args: ["redis-cli", "ping"] }, redis), [
    "/usr/bin/redis-cli",
    "ping",
  ]);
  assert.deepEqual(await argvOf({ image: "busybox:1.36", command: ["/bin/sh", "-c"], args: ["true"] }, redis), [
    "/bin/sh",
    "-c",
    "true",
  ]);
  assert.deepEqual(await argvOf({ image: "alpine", command: ["/usr/local/bin/sleep", "9"] }, redis), [
    "/usr/bin/sleep",
    "9",
  ]);
  assert.deepEqual(await argvOf({ image: "busybox", args: ["httpd", "-f"] }, redis), [
    "/usr/bin/busybox",
    "httpd",
    "-f",
  ]);
  assert.deepEqual(await argvOf({ image: "registry.k8s.io/pause:3.10" }, redis), ["/usr/bin/tail", "-f", "/dev/null"]);
});

test("a container that only hands a volume over to somebody has nothing to do here", async () => {
  const on = machine(["sh", "true"]);
  const run = (script: string) => argvOf({ image: "curlimages/curl", command: ["sh", "-c", script] }, on);
  for (const script of ["chown 0:102 /v/models && chmod g+rwX /v/models", "set -e; chown -R 1000 /v; chmod 770 /v\n"]) {
    assert.deepEqual(await run(script), ["/usr/bin/true"], script);
  }
  assert.deepEqual(await argvOf({ image: "busybox", command: ["chown", "-R", "1000:1000", "/v"] }, on), [
    "/usr/bin/true",
  ]);
  for (const script of [
    "chmod +x /v/run",
    "chown 1 /v && rm -rf /v/x",
    "chown 1 $(pwd)",
    "chown 1 /v | cat",
    "echo chown 1 /v",
  ]) {
    assert.equal((await run(script))[0], "/usr/bin/sh", script);
  }
});

test("what cannot run is refused by name, with both ways out", async () => {
  const unknown = await plan({ image: "acme/erp:9" });
  assert.deepEqual(unknown, {
    is: "unknown",
    message:
      'image "acme/erp:9" cannot run as a local process: no row of its table says how to run it without a container; add a row for it under images in trivium.yaml, or let the node run containers (podman or docker)',
  });
  const missing = await plan({ image: "redis:7" });
  assert.match(
    missing.is === "unknown" ? missing.message : "",
    /neither redis-server nor valkey-server is on the PATH.*trivium\.yaml/,
  );
  const invalid = await plan({ image: "Not An Image" });
  assert.match(
    invalid.is === "invalid" ? invalid.message : "",
    /couldn't parse image name "Not An Image": invalid reference format/,
  );
});

test("rows of a user come first, and say how the program is told where to listen", async () => {
  const rows = parseImageRows([
    {
      match: "ghcr.io/acme/*",
      command: ["whisper", "serve"],
      host: "--listen",
      port: { flag: "--at", default: 9000 },
      env: { A: 1 },
    },
    { match: ["redis", "x/y"], command: "my-redis", host: "HOST", port: { env: "PORT" }, workingDir: "/data" },
  ]);
  const on = machine(["whisper", "my-redis", "sh"]);
  const run = (call: Partial<ImageCall> & { image: string }) =>
    planImage([...rows, ...knownRows], { command: [], args: [], env: new Map(), secrets: new Set(), ...call }, on);
  const whisper = await run({ image: "ghcr.io/acme/w:1", command: ["/entry.sh"], args: ["--fast"] });
  assert.deepEqual(whisper, {
    is: "runs",
    argv: ["/usr/bin/whisper", "serve", "--fast"],
    env: { A: "1" },
    listening: { host: { flags: ["--listen"] }, port: { flags: ["--at"], usual: 9000 } },
  });
  const redis = await run({ image: "redis:7" });
  assert.deepEqual(redis.is === "runs" && [redis.argv, redis.workingDir], [["/usr/bin/my-redis"], "/data"]);
  const script = await run({ image: "x/y", command: ["sh", "-c", "a; b"] });
  assert.deepEqual(script.is === "runs" && script.argv, ["/usr/bin/sh", "-c", "a; b"]);
});

test("a table that is wrong says where", () => {
  assert.deepEqual(parseImageRows(undefined), []);
  assert.throws(() => parseImageRows({}), new ImageTableError(["images: expected a list"]));
  assert.throws(
    () => parseImageRows([{ match: "x", command: ["y"], hosts: 1 }, { command: [1], port: {} }, 7]),
    (error) => {
      assert.ok(error instanceof ImageTableError);
      assert.deepEqual(error.faults, [
        "images[0].hosts: unknown (known: match, command, host, port, env, workingDir)",
        "images[1].match: expected a pattern such as ghcr.io/acme/*",
        "images[1].command: expected a program and its arguments, as a list",
        "images[1].port: expected a flag (--host) or a variable (HOST)",
        "images[2]: expected match and command",
        "images[2].match: expected a pattern such as ghcr.io/acme/*",
        "images[2].command: expected a program and its arguments, as a list",
      ]);
      return true;
    },
  );
});

test("programs are told the pod's address, and another port only where they cannot have theirs", () => {
  const listening = { host: { flags: ["--host", "-H"] }, port: { flags: ["--port"], env: "PORT", usual: 8080 } };
  const tell = (argv: string[], env: Record<string, string> = {}, moved: Record<number, number> = {}) =>
    tellListening({ argv, env, listening, address: "127.77.0.2", portFor: (port) => moved[port] ?? port });
  assert.deepEqual(tell(["x"]).argv, ["x", "--host", "127.77.0.2"]);
  assert.deepEqual(tell(["x", "-H", "0.0.0.0", "--port=9"]).argv, ["x", "-H", "127.77.0.2", "--port=9"]);
  assert.deepEqual(tell(["x", "--host=0.0.0.0"], {}, { 8080: 4 }), {
    argv: ["x", "--host=127.77.0.2", "--port", "4"],
    env: { PORT: "4" },
  });
  assert.deepEqual(tell(["x", "--port", "9", "--host", "::"], {}, { 9: 4, 8080: 5 }).argv, [
    "x",
    "--port",
    "4",
    "--host",
    "127.77.0.2",
  ]);
  assert.deepEqual(tell(["x"], { PORT: "9" }, { 9: 4 }).env, { PORT: "4" });
  assert.deepEqual(tell(["x", "--port", "many"]).argv, ["x", "--port", "many", "--host", "127.77.0.2"]);
  const onHost = tellListening({ argv: ["x"], env: {}, listening, address: undefined, portFor: (port) => port });
  assert.deepEqual(onHost.argv, ["x"]);
});
