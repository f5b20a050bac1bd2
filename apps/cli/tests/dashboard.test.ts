import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { until } from "@trivium/testkit";
import { readRunRecord, stopAll, temporaryHome, trivium } from "./running.ts";

const home = temporaryHome();
after(() => {
  stopAll();
  home.remove();
});

const headers = { "x-trivium-request": "1", "content-type": "application/json" };

/** The address and the start token that a command printed last. */
function printedBy({ output }: { output(): string }): { origin: string; token: string } {
  const found = [...output().matchAll(/^dashboard +(http:\/\/127\.0\.0\.1:\d+)\/#start=(\S+)$/gm)].at(-1);
  return { origin: found?.[1] ?? "", token: found?.[2] ?? "" };
}

async function logIn({ origin, token }: { origin: string; token: string }): Promise<Record<string, string>> {
  const response = await fetch(`${origin}/session`, { method: "POST", headers, body: JSON.stringify({ token }) });
  assert.equal(response.status, 200, await response.text());
  return { ...headers, cookie: response.headers.get("set-cookie")?.split(";", 1)[0] ?? "" };
}

async function run(...args: string[]): Promise<string> {
  const command = trivium(args);
  assert.equal(await command.ended, 0, command.errors());
  return command.output();
}

const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "from-the-dashboard" } };
const maps = "/k8s/api/v1/namespaces/default/configmaps";

test("up serves the dashboard at an address that works once; status prints the next one; trivium dashboard serves another", async () => {
  const up = trivium(["up", "--home", home.path, "--port", "0", "--gateway-port", "0", "--no-demo"]);
  await up.ready();
  const first = printedBy(up);
  const { ports } = readRunRecord(home.path);
  assert.equal(first.origin, `http://127.0.0.1:${ports.dashboard}`);
  assert.equal(statSync(join(home.path, "identity/dashboard-token")).mode & 0o777, 0o600);
  assert.equal((await fetch(`${first.origin}${maps}`)).status, 401);
  const session = await logIn(first);
  const created = await fetch(`${first.origin}${maps}`, {
    method: "POST",
    headers: session,
    body: JSON.stringify(map),
  });
  assert.equal(created.status, 201);
  assert.equal((await fetch(`${first.origin}/openai/v1/models`, { headers: session })).status, 200);
  assert.equal((await fetch(`${first.origin}/gateway-metrics`, { headers: session })).status, 200);
  const info = (await (await fetch(`${first.origin}/session`, { headers: session })).json()) as Record<string, unknown>;
  assert.deepEqual(Object.keys(info.dialectOptions as object).sort(), ["aim", "llmkube", "ome"]);
  const file = await fetch(`${first.origin}/inspect`, {
    method: "POST",
    headers: session,
    body: JSON.stringify({ source: "/etc/passwd" }),
  });
  assert.equal(file.status, 400, "the files of this machine are not for a page");

  const again = await fetch(`${first.origin}/session`, { method: "POST", headers, body: JSON.stringify(first) });
  assert.equal(again.status, 401);
  const status = await run("status", "--home", home.path);
  await logIn(printedBy({ output: () => status }));

  const opened = join(home.path, "opened");
  mkdirSync(join(home.path, "bin"));
  writeFileSync(join(home.path, "bin/browser"), `#!/bin/sh\ncat "$1" > '${opened}'\n`, { mode: 0o755 });
  const other = trivium(["dashboard", "--home", home.path, "--port", "0", "--read-only", "--open"], {
    BROWSER: join(home.path, "bin/browser"),
  });
  await until(() => printedBy(other).token !== "", "the address of the dashboard");
  const printed = printedBy(other);
  await until(() => existsSync(opened) && readFileSync(opened, "utf8").includes(printed.token), "the browser's page");
  const reader = await logIn(printed);
  assert.equal((await fetch(`${printed.origin}${maps}/from-the-dashboard`, { headers: reader })).status, 200);
  const refused = await fetch(`${printed.origin}${maps}/from-the-dashboard`, { method: "DELETE", headers: reader });
  assert.deepEqual(
    [refused.status, ((await refused.json()) as { error: { code: string } }).error.code],
    [403, "ReadOnly"],
  );
  await until(() => printedBy(other).token !== printed.token, "the address for the next browser");
  other.process.kill("SIGINT");
  assert.equal(await other.ended, 130, other.errors());
  up.process.kill("SIGINT");
  assert.equal(await up.ended, 0, up.errors());

  const port = String(ports.dashboard);
  const args = ["up", "--home", home.path, "--port", "0", "--gateway-port", "0", "--no-demo", "--dashboard-port", port];
  const restarted = trivium(args, { JOURNAL_STREAM: "8:1" });
  await restarted.ready();
  assert.equal((await fetch(`${first.origin}${maps}`, { headers: session })).status, 200, "the page stays logged in");
  assert.match(
    restarted.output(),
    /^dashboard +http:\/\/127\.0\.0\.1:\d+\/ \(trivium status prints/m,
    "no token in a journal",
  );
  restarted.process.kill("SIGINT");
  assert.equal(await restarted.ended, 0, restarted.errors());
});

test("up --no-dashboard serves none, and a port in use is named with what to do", async () => {
  const up = trivium(["up", "--home", home.path, "--port", "0", "--gateway-port", "0", "--no-demo", "--no-dashboard"]);
  await up.ready();
  assert.doesNotMatch(up.output(), /^dashboard /m);
  const { ports } = readRunRecord(home.path);
  assert.equal(ports.dashboard, undefined);
  const taken = trivium(["dashboard", "--home", home.path, "--port", String(ports.gateway)]);
  assert.equal(await taken.ended, 1);
  assert.match(taken.errors(), /cannot listen on port \d+ \(EADDRINUSE\); choose another with --port/);
  up.process.kill("SIGINT");
  assert.equal(await up.ended, 0, up.errors());
});
