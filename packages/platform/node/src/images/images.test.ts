import assert from "node:assert/strict";
import { test } from "node:test";
import { machine } from "../../tests/imagined-machine.ts";
import type { ImageCall, ImageMachine } from "./image-row.ts";
import { knownRows, planImage } from "./image-table.ts";

const digest = `sha256:${"a".repeat(64)}`;

const plan = (call: Partial<ImageCall> & { image: string }, on = machine()) =>
  planImage(knownRows, { command: [], args: [], env: new Map(), secrets: new Set(), accelerators: [], ...call }, on);

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
    env: { LLAMA_ARG_ENDPOINT_METRICS: "1", LLAMA_API_KEY: "k3y" },
    listening: vllm.is === "runs" ? vllm.listening : {},
    standsInFor: "vLLM",
    notes: [
      "trivium: vLLM is not installed; serving /v/m/a.gguf with the local engine",
      "trivium: ignored flags that it does not support: --dtype, --enforce-eager, --seed",
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
  const tuned = await plan(
    {
      image: "vllm/vllm-openai",
      args: ["--model", "/v/m", "--enable-lora", "--lora-modules", "poet=/v/poet", "loose=/v/loose", "style=/v/s.gguf"],
    },
    machine([], { "/v/m": "/v/m/a.gguf", "/v/poet": "/v/poet/p.gguf", "/v/s.gguf": "/v/s.gguf" }),
  );
  assert.deepEqual(tuned.is === "runs" && tuned.argv.slice(4), [
    ...["--lora", "/v/poet/p.gguf", "--lora", "/v/s.gguf", "--lora-init-without-apply"],
    ...["--port", "8000"],
  ]);
  assert.equal(tuned.is === "runs" && tuned.env?.TRIVIUM_LORA_NAMES, "poet,style");
  assert.deepEqual(tuned.is === "runs" && tuned.notes?.slice(1), [
    "trivium: ignored adapter loose: it has no GGUF file",
  ]);
  const hub = await plan({ image: "vllm/vllm-openai", args: ["--model", "org/m"] });
  assert.match(
    hub.is === "unknown" ? hub.message : "",
    /vLLM is not installed on this node and org\/m contains no GGUF weights/,
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
  const removal = ["remove", "/v/cache/a", "--store", "/v/cache/.trivium", "--json"];
  assert.deepEqual(await argvOf({ ...own, args: removal }), [...weights, ...removal]);
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
  for (const [from, uri] of [
    ["https://mirror.example/org/m/resolve/refs%2Fpr%2F1", "hf://org/m@refs%2Fpr%2F1"],
    ["https://host/org/m", "https://host/org/m"],
    ["https://host/org/m/resolve/main/folder", "https://host/org/m/resolve/main/folder"],
    ["hf://org/m", "hf://org/m"],
  ] as const)
    assert.equal((await argvOf(curl({ ...many, MODEL_SOURCE: from })))[weights.length + 1], uri, from);
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
    message: 'image "acme/erp:9" cannot run as a local process: no rule maps it to a local program',
    advice: "add a rule for it under images in trivium.yaml, or start trivium up with --containers podman or docker",
  });
  const missing = await plan({ image: "redis:7" });
  assert.match(
    missing.is === "unknown" ? `${missing.message}; ${missing.advice}` : "",
    /neither redis-server nor valkey-server was found in the PATH.*trivium\.yaml/,
  );
  const invalid = await plan({ image: "Not An Image" });
  assert.match(
    invalid.is === "invalid" ? invalid.message : "",
    /couldn't parse image name "Not An Image": invalid reference format/,
  );
});
