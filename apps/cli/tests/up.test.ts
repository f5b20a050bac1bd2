import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigMap, CustomResourceDefinition } from "@trivium/kube";
import { clientOf, readRunRecord, statusOf, stopAll, temporaryHome, trivium } from "./running.ts";

const homes: { remove(): void }[] = [];
const freshHome = (): string => {
  const home = temporaryHome();
  homes.push(home);
  return home.path;
};
after(() => {
  stopAll();
  for (const home of homes) home.remove();
});

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const note = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { text: "kept" },
});

test("up prints ready, leaves its traces, and stops cleanly; a second start finds everything as it was", async () => {
  const home = freshHome();
  const first = trivium(["up", "--home", home, "--port", "0", "--gateway-port", "0", "--no-demo"]);
  await first.ready();
  const record = readRunRecord(home);
  assert.equal(record.pid, first.process.pid);
  assert.equal(record.url, `https://127.0.0.1:${record.ports.api}`);
  assert.equal(await statusOf(`${record.url}/readyz`), 200);
  assert.equal(await statusOf(`${record.url}/api/v1/namespaces`), 401);
  assert.deepEqual([mode(home), mode(join(home, "kubeconfig")), mode(join(home, "run.json"))], ["700", "600", "600"]);
  assert.match(first.output(), new RegExp(`control plane +${record.url}`));
  assert.match(first.output(), /next +export KUBECONFIG=/);
  const created = await (await clientOf(home)).create(ConfigMap, note("mine"));
  first.process.kill("SIGINT");
  assert.equal(await first.ended, 0, first.errors());
  assert.equal(existsSync(join(home, "run.json")), false);

  const second = trivium(["up", "--port", "0", "--gateway-port", "0", "--no-demo"], { TRIVIUM_HOME: home });
  await second.ready();
  const found = await (await clientOf(home)).get(ConfigMap, { namespace: "default", name: "mine" });
  assert.deepEqual(found, created);
  second.process.kill("SIGTERM");
  assert.equal(await second.ended, 0, second.errors());
});

test("only the chosen dialects are installed; those of an earlier start stay, and are named", async () => {
  const home = freshHome();
  const groupsAfter = async (...more: string[]): Promise<{ groups: string[]; reported: string }> => {
    const run = trivium(["up", "--home", home, "--port", "0", "--gateway-port", "0", ...more]);
    await run.ready();
    const client = await clientOf(home);
    const { items } = await client.list(CustomResourceDefinition);
    run.process.kill("SIGINT");
    assert.equal(await run.ended, 0, run.errors());
    const groups = [...new Set(items.map(({ spec }) => spec.group))];
    return { groups: groups.filter((group) => !group.endsWith("networking.k8s.io")).sort(), reported: run.output() };
  };
  const first = await groupsAfter("--dialects", "aim");
  assert.deepEqual(first.groups, ["aim.silogen.ai"]);
  assert.match(first.reported, /^aim +13 kinds in aim.silogen.ai$/m);
  assert.doesNotMatch(first.reported, /^(ome|llmkube|demo) /m);
  const second = await groupsAfter("--dialects", "ome", "--no-demo");
  assert.deepEqual(second.groups, ["aim.silogen.ai", "ome.io"]);
  assert.match(
    second.reported,
    /^aim +not running; kinds and objects in aim.silogen.ai from an earlier start are kept/m,
  );
  const refused = trivium(["up", "--home", home, "--dialects", "kserve"]);
  assert.equal(await refused.ended, 1);
  assert.match(refused.errors(), /"kserve" is not one of aim, aim-eai, ome, llmkube/);
});

test("what was acknowledged before a kill -9 is there afterwards, and nothing has to be cleaned up", async () => {
  const home = freshHome();
  const first = trivium(["up", "--home", home, "--port", "0", "--gateway-port", "0", "--no-demo"]);
  await first.ready();
  await (await clientOf(home)).create(ConfigMap, note("before"));
  first.process.kill("SIGKILL");
  assert.equal(await first.ended, "SIGKILL");

  const second = trivium(["up", "--home", home, "--port", "0", "--gateway-port", "0", "--no-demo"]);
  await second.ready();
  const found = await (await clientOf(home)).get(ConfigMap, { namespace: "default", name: "before" });
  assert.deepEqual((found as { data?: unknown }).data, { text: "kept" });
  second.process.kill("SIGINT");
  assert.equal(await second.ended, 0);
});

test("-q before or after the command starts it in the background just the same", async (t) => {
  const home = freshHome();
  const down = (): Promise<number | string> => trivium(["down", "--home", home]).ended;
  t.after(down);
  const options = ["--home", home, "--port", "0", "--gateway-port", "0", "--no-demo"];
  for (const words of [
    ["-q", "up", "-d", ...options],
    ["up", "-qd", ...options],
  ]) {
    const run = trivium(words);
    assert.equal(await run.ended, 0, run.errors());
    const { url, pid } = readRunRecord(home);
    assert.match(run.output(), new RegExp(`^control plane +${url}, process ${pid}$`, "m"));
    assert.equal(await down(), 0);
  }
});

test("a second process for the same home is told who holds it, and harms nothing", async () => {
  const home = freshHome();
  const first = trivium(["up", "--home", home, "--port", "0", "--gateway-port", "0", "--no-demo"]);
  await first.ready();
  const second = trivium(["up", "--home", home, "--port", "0", "--gateway-port", "0", "--no-demo"]);
  assert.equal(await second.ended, 1);
  assert.match(second.errors(), new RegExp(`^error: .*in use by process ${first.process.pid} .*--home`));
  assert.equal(second.errors().trim().split("\n").length, 1);
  assert.equal(await statusOf(`${readRunRecord(home).url}/readyz`), 200);
  first.process.kill("SIGINT");
  assert.equal(await first.ended, 0);
});

test("a port in use is one line that says what to do, and leaves no traces of a home", async (t) => {
  const busy = createServer().listen(0, "127.0.0.1");
  t.after(() => busy.close());
  await once(busy, "listening");
  const port = (busy.address() as { port: number }).port;
  const empty = freshHome();
  const absent = join(empty, "not", "yet");
  const taken = `port ${port} of 127.0.0.1 is already in use by another program; choose another port with`;
  for (const [ports, complaint] of [
    [
      ["--port", String(port), "--gateway-port", "0"],
      `${taken} --port, for example 7443, or any free one with --any-port`,
    ],
    [
      ["--port", "0", "--gateway-port", String(port)],
      `${taken} --gateway-port, for example 8080, or any free one with --any-port`,
    ],
    [["--port", "7", "--gateway-port", "7"], "--port and --gateway-port are both 7; change one of them"],
  ] as const) {
    const run = trivium(["up", "--home", absent, ...ports]);
    assert.equal(await run.ended, 1);
    assert.equal(run.errors(), `error: ${complaint}\n`);
  }
  assert.deepEqual(readdirSync(empty), []);
});

test("--any-port takes other ports in place of those that are in use, and the next start the same ones", async (t) => {
  const busy = [createServer().listen(0, "127.0.0.1"), createServer().listen(0, "127.0.0.1")];
  t.after(() => busy.map((server) => server.close()));
  await Promise.all(busy.map((server) => once(server, "listening")));
  const [port = 0, gateway = 0] = busy.map((server) => (server.address() as { port: number }).port);
  const home = freshHome();
  const place = ["--home", home, "--port", String(port), "--gateway-port", String(gateway), "--no-demo"];
  const run = trivium(["up", ...place, "--any-port"]);
  await run.ready();
  const { url, ports } = readRunRecord(home);
  assert.ok(ports.api !== port && ports.gateway !== gateway, JSON.stringify(ports));
  assert.equal(await statusOf(`${url}/readyz`), 200);
  run.process.kill("SIGINT");
  assert.equal(await run.ended, 0);
  const again = trivium(["up", ...place, "--any-port"]);
  await again.ready();
  assert.deepEqual(readRunRecord(home).ports, ports, "addresses that programs have stay valid");
  again.process.kill("SIGINT");
  assert.equal(await again.ended, 0);
});

test("a home that cannot be written is one line that says what to do", async () => {
  const file = join(freshHome(), "a-file");
  writeFileSync(file, "");
  const run = trivium(["up", "--home", join(file, "home"), "--port", "0", "--gateway-port", "0"]);
  assert.equal(await run.ended, 1);
  assert.match(run.errors(), /^error: cannot write to .*\(ENOTDIR\); .*--home or TRIVIUM_HOME\n$/);
});

test("a damaged store is refused and left as it is", async () => {
  const home = freshHome();
  const first = trivium(["up", "--home", home, "--port", "0", "--gateway-port", "0", "--no-demo"]);
  await first.ready();
  first.process.kill("SIGINT");
  await first.ended;
  writeFileSync(join(home, "data", "store.db"), "this is no database");
  const second = trivium(["up", "--home", home, "--port", "0", "--gateway-port", "0", "--no-demo"]);
  assert.equal(await second.ended, 1);
  assert.match(second.errors(), /^error: .*store\.db.*\n$/);
  assert.equal(statSync(join(home, "data", "store.db")).size, "this is no database".length);
});

test("a home with a space is told in a form that can be typed", async () => {
  const home = join(freshHome(), "my home");
  const run = trivium(["up", "--home", home, "--port", "0", "--gateway-port", "0", "--no-demo"]);
  await run.ready();
  assert.ok(run.output().includes(`export KUBECONFIG='${home}/kubeconfig'`), run.output());
  run.process.kill("SIGINT");
  assert.equal(await run.ended, 0);
});

for (const [args, complaint] of [
  [["up", "--port", "high"], /"high" is not a valid port/],
  [["up", "--port", "70000"], /"70000" is not a valid port/],
  [["upp"], /unknown command 'upp' \(Did you mean up\?\)/],
  [["stat"], /unknown command 'stat' \(Did you mean status\?\)/],
  [["models", "lst"], /unknown command 'lst' \(Did you mean ls\?\)/],
] as const) {
  test(`trivium ${args.join(" ")} is refused in words`, async () => {
    const run = trivium(args);
    assert.equal(await run.ended, 1);
    assert.match(run.errors(), complaint);
  });
}

test("up requires a key where one is given, keeps the metrics port, and lets only listed pages in", async () => {
  const home = freshHome();
  const keys = join(home, "keys");
  const place = ["up", "--home", home, "--port", "0", "--gateway-port", String(await freePort()), "--no-demo"];
  mkdirSync(home, { recursive: true });
  writeFileSync(keys, "from-file\n", { mode: 0o600 });
  writeFileSync(
    join(home, "trivium.yaml"),
    "gateway:\n  allowedOrigins: [https://app.example.com]\n  allowedHosts: [models.example]\n",
  );
  const ports: number[] = [];
  // Another program can take the port between two starts; three times in a row it is no accident.
  while (ports.length < 2 || (ports.at(-1) !== ports.at(-2) && ports.length < 4)) {
    const running = trivium([...place, "--api-key-file", keys], { TRIVIUM_API_KEY: "from-variable" });
    await running.ready();
    const { gateway, metrics } = readRunRecord(home).ports;
    ports.push(metrics);
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${gateway}/v1/models`, { headers })).status;
    const page = { authorization: "Bearer from-file", origin: "https://app.example.com" };
    assert.deepEqual(
      [
        await ask({}),
        await ask({ authorization: "Bearer from-file" }),
        await ask({ authorization: "Bearer from-variable" }),
        await ask(page),
        await ask({ ...page, origin: "https://evil.example" }),
      ],
      [401, 200, 200, 200, 403],
    );
    assert.equal((await fetch(`http://127.0.0.1:${metrics}/metrics`)).status, 200);
    const commands = readdirSync("/proc").flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return [];
      }
    });
    assert.ok(commands.every((command) => !/from-file|from-variable/.test(command)));
    running.process.kill("SIGTERM");
    assert.equal(await running.ended, 0, running.errors());
    assert.doesNotMatch(running.output() + running.errors(), /from-file|from-variable/);
  }
  assert.equal(ports.at(-1), ports.at(-2));
});

test("up is loud when it is open without a key, and refuses rules that cannot be read", async () => {
  const home = freshHome();
  const open = trivium(["up", "--home", home, "--port", "0", "--gateway-port", "0", "--host", "0.0.0.0", "--no-demo"]);
  await open.ready();
  assert.match(
    open.output(),
    /warning +other machines on the network can reach 0\.0\.0\.0\n.*The gateway requires no API key/,
  );
  assert.match(open.output(), /metrics +http:\/\/127\.0\.0\.1:/);
  open.process.kill("SIGTERM");
  assert.equal(await open.ended, 0, open.errors());
  for (const [yaml, words] of [
    ["gateway: {allowedOrigins: [app]}", /gateway\.allowedOrigins: "app" is not a valid origin/],
    ["gateway: {apiKey: secret}", /unknown field gateway\.apiKey \(known: allowedHosts, /],
    ["gateway: {metricsPort: many}", /gateway\.metricsPort must be a number from 0 to 65535/],
    ["gateway: {apiKeyFile: /nope}", /cannot read --api-key-file \/nope \(ENOENT\)/],
  ] as const) {
    writeFileSync(join(home, "trivium.yaml"), yaml);
    const refused = trivium(["up", "--home", home, "--port", "0", "--gateway-port", "0", "--no-demo"]);
    assert.equal(await refused.ended, 1);
    assert.match(refused.errors(), words);
    assert.doesNotMatch(refused.errors(), /secret/);
  }
});

async function freePort(): Promise<number> {
  await using server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  return Math.min((server.address() as AddressInfo).port, 60_000);
}
