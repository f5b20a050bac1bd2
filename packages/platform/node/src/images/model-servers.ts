import type { ModelServer } from "./model-server.ts";

const pythonWays = (...modules: string[]) =>
  ["python3", "python"].flatMap((python) => modules.map((module) => [python, "-m", module]));

/** The servers whose images we know. */
export const modelServers: readonly ModelServer[] = [
  {
    name: "vLLM",
    match: ["*vllm*"],
    ways: [["vllm", "serve"], ...pythonWays("vllm.entrypoints.openai.api_server", "vllm.entrypoints.api_server")],
    flags: {
      "--model": "model",
      "--served-model-name": "alias",
      "--max-model-len": "context",
      "--host": "host",
      "--port": "port",
      "--api-key": "apiKey",
      "--enable-lora": "adapters",
      "--lora-modules": "adapters",
    },
    env: { VLLM_API_KEY: "apiKey" },
    listening: { host: { flags: ["--host"] }, port: { flags: ["--port"], usual: 8000 } },
  },
  {
    name: "SGLang",
    match: ["*sglang*"],
    ways: [...pythonWays("sglang.launch_server"), ["sglang", "serve"]],
    module: "sglang",
    flags: {
      "--model-path": "model",
      "--model": "model",
      "--served-model-name": "alias",
      "--context-length": "context",
      "--host": "host",
      "--port": "port",
      "--api-key": "apiKey",
      "--lora-paths": "adapters",
    },
    env: {},
    listening: { host: { flags: ["--host"] }, port: { flags: ["--port"], usual: 30_000 } },
  },
  {
    name: "TGI",
    match: ["*text-generation-inference*", "*/tgi*"],
    ways: [["text-generation-launcher"]],
    flags: {
      "--model-id": "model",
      "--served-model-name": "alias",
      "--max-total-tokens": "context",
      "--hostname": "host",
      "--port": "port",
      "-p": "port",
      "--api-key": "apiKey",
    },
    env: { MODEL_ID: "model", MAX_TOTAL_TOKENS: "context", PORT: "port", API_KEY: "apiKey" },
    listening: { host: { flags: ["--hostname"] }, port: { flags: ["--port", "-p"], env: "PORT", usual: 3000 } },
  },
];
