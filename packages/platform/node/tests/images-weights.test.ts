import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { ownProgram } from "@trivium/testkit";
import { launchOf, outputOf, startSetupStage } from "./setup-stage.ts";

const weights = ownProgram("weights", join(import.meta.dirname, "../../weights/src/main.ts"));

test("a downloader of another operator brings its file by trivium-weights, under the name it was asked for, once", async (t) => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    response.writeHead(200, { "content-length": "7", etag: '"1"' });
    response.end(request.method === "HEAD" ? undefined : "weights");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const stage = await startSetupStage(t);
  const setups = await stage.setups({ programs: { weights } });
  const pod = await stage.pod(
    "fetch",
    {
      image: "docker.io/curlimages/curl:8.18.0",
      command: ["sh", "-c", 'curl -L "$MODEL_SOURCE" -o "$MODEL_PATH"'],
      env: [
        { name: "MODEL_SOURCE", value: `http://127.0.0.1:${port}/files/q4.gguf` },
        { name: "MODEL_PATH", value: "/models/key/model.gguf" },
      ],
      volumeMounts: [{ name: "cache", mountPath: "/models" }],
    },
    { volumes: [{ name: "cache", emptyDir: {} }] },
  );
  const launch = await launchOf(setups, pod);
  const output = await outputOf(launch);
  const file = join(stage.root, "rooms", pod.metadata.uid ?? "", "volumes/cache/key/model.gguf");
  assert.equal(existsSync(file), true, output);
  assert.equal(await readFile(file, "utf8"), "weights");
  const before = requests;
  await outputOf(launch);
  assert.equal(await readFile(file, "utf8"), "weights");
  assert.ok(requests - before <= 1, "what is there is at most looked at, not fetched again");
});

test("a download reaches the hub of this node, unless its container names another", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups({
    programs: { weights, weightsEnvironment: { HF_ENDPOINT: "http://hub.example", NO_PROXY: "*" } },
  });
  const image = "ghcr.io/trivium/trivium-weights:1";
  const args = ["inspect", "hf://org/m"];
  const plain = await launchOf(setups, await stage.pod("plain", { image, args }));
  assert.deepEqual([plain.env.HF_ENDPOINT, plain.env.NO_PROXY], ["http://hub.example", "*"]);
  const env = [{ name: "HF_ENDPOINT", value: "http://own.example" }];
  const own = await launchOf(setups, await stage.pod("own", { image, args, env }));
  assert.equal(own.env.HF_ENDPOINT, "http://own.example");
  const other = await launchOf(setups, await stage.pod("other", { image: "busybox", command: ["true"] }));
  assert.equal(other.env.HF_ENDPOINT, undefined, "it is for downloads alone");
});

test("a download has the user's login, unless its container has a login or a hub of its own; nothing else has it", async (t) => {
  const stage = await startSetupStage(t);
  const login = { env: { HF_TOKEN: "hf_own" }, isOwn: (name: string) => ["HF_TOKEN", "HF_ENDPOINT"].includes(name) };
  const setups = await stage.setups({ programs: { weights, weightsLogins: [login] } });
  const image = "ghcr.io/trivium/trivium-weights:1";
  const args = ["inspect", "hf://org/m"];
  const plain = await launchOf(setups, await stage.pod("plain", { image, args }));
  assert.equal(plain.env.HF_TOKEN, "hf_own");
  assert.ok(!plain.argv.join(" ").includes("hf_own"));
  const env = [{ name: "HF_ENDPOINT", value: "http://other.example" }];
  const elsewhere = await launchOf(setups, await stage.pod("elsewhere", { image, args, env }));
  assert.equal(elsewhere.env.HF_TOKEN, undefined, "another hub does not get the token");
  const given = [{ name: "HF_TOKEN", value: "hf_given" }];
  const own = await launchOf(setups, await stage.pod("own", { image, args, env: given }));
  assert.equal(own.env.HF_TOKEN, "hf_given");
  const other = await launchOf(setups, await stage.pod("other", { image: "busybox", command: ["true"] }));
  assert.equal(other.env.HF_TOKEN, undefined, "it is for downloads alone");
});
