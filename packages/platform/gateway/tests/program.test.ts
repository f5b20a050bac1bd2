import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Deployment, Namespace, Service } from "@trivium/kube";
import { addService, deployment, service, until } from "./fixture.ts";
import { type ProgramFixture, startProgramFixture } from "./program-fixture.ts";

describe("the program", () => {
  let fixture: ProgramFixture;

  before(async () => {
    fixture = await startProgramFixture();
  });
  after(() => fixture.close());

  it("serves a cluster over TLS from one file, logs when asked to, and ends when told", async () => {
    const { child, output, ended } = fixture.start([
      "--kubeconfig",
      fixture.kubeconfig,
      "--port",
      "0",
      "--access-log",
      "on",
    ]);
    try {
      await until(() => output.text.includes("\n"), "it is ready");
      const [, url, metrics] = /^ready: (\S+) metrics: (\S+)\n/.exec(output.text) ?? [];
      const body = JSON.stringify({ model: "demo", messages: [] });
      const headers = { authorization: "Bearer very-secret" };
      const answered = await fetch(`${url}/v1/chat/completions?key=hidden`, { method: "POST", headers, body });
      assert.equal(answered.status, 200);
      assert.match(
        await (await fetch(metrics as string)).text(),
        /trivium_gateway_requests_total\{model="default\/demo",code="200"\} 1/,
      );
      await until(() => output.text.includes('"status":200'), "the request was logged");
      assert.match(
        output.text,
        /"method":"POST","path":"\/v1\/chat\/completions","status":200,"target":"default\/demo"/,
      );
      assert.doesNotMatch(output.text, /secret|hidden/);
    } finally {
      child.kill("SIGTERM");
    }
    assert.equal(await ended, 0);
  });

  it("serves the models of one namespace when told, and does not see others", async () => {
    const { client, model } = fixture;
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } });
    await addService(client, "theirs", [model.port], { namespace: "team-a" });
    for (const workers of ["1", "2"]) {
      const args = ["--kubeconfig", fixture.kubeconfig, "--port", "0", "--namespace", "team-a", "--workers", workers];
      const { child, output, ended } = fixture.start(args);
      try {
        await until(() => output.text.includes("ready: "), "it is ready");
        const [, url] = /^ready: (\S+)/m.exec(output.text) ?? [];
        const listed = async () => {
          const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { owned_by: string }[] };
          return data.map((each) => each.owned_by);
        };
        await until(async () => (await listed()).length > 0, "models are listed");
        assert.deepEqual([...new Set(await listed())], ["team-a"]);
        const ask = async (name: string) => {
          const body = JSON.stringify({ model: name, messages: [] });
          return (await fetch(`${url}/v1/chat/completions`, { method: "POST", body })).status;
        };
        assert.deepEqual([await ask("theirs"), await ask("demo")], [200, 404]);
      } finally {
        child.kill("SIGTERM");
      }
      assert.equal(await ended, 0);
    }
  });

  it("takes keys from a file or the environment, and warns when it is open without one", async () => {
    const file = join(fixture.home, "keys");
    await writeFile(file, "# of the team\nfrom-file\n");
    const args = ["--kubeconfig", fixture.kubeconfig, "--port", "0", "--host", "0.0.0.0"];
    const keyed = fixture.start([...args, "--api-key-file", file], { TRIVIUM_API_KEY: "from-variable" });
    const open = fixture.start(args);
    try {
      for (const { output } of [keyed, open]) await until(() => output.text.includes("ready: "), "it is ready");
      const [, port] =
        /^ready: http:\/\/0\.0\.0\.0:(\d+) metrics: http:\/\/127\.0\.0\.1:/m.exec(keyed.output.text) ?? [];
      const status = async (key: string) => {
        const headers = { authorization: `Bearer ${key}` };
        return (await fetch(`http://127.0.0.1:${port}/v1/models`, { headers })).status;
      };
      assert.deepEqual(
        [await status("from-file"), await status("from-variable"), await status("other")],
        [200, 200, 401],
      );
      assert.doesNotMatch(keyed.output.text, /warning|from-file|from-variable/);
      assert.match(open.output.text, /^warning: the gateway listens on 0\.0\.0\.0 and requires no API key/m);
    } finally {
      for (const { child } of [keyed, open]) child.kill("SIGTERM");
    }
    assert.deepEqual([await keyed.ended, await open.ended], [0, 0]);
  });

  it("ends with its workers when told, though the API server does not answer", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const kubeconfig = join(fixture.home, "silent");
    const served = await readFile(fixture.kubeconfig, "utf8");
    await writeFile(kubeconfig, served.replace(/https:\/\/[\w.:]+/, `https://127.0.0.1:${port}`));
    const ways: readonly ((child: ChildProcess) => unknown)[] = [
      (child) => child.kill("SIGTERM"),
      (child) => child.stdin?.end(),
    ];
    try {
      for (const workers of ["1", "2"])
        for (const end of ways) {
          const called = once(silent, "connection");
          const args = ["--kubeconfig", kubeconfig, "--port", "0", "--workers", workers];
          const { child, output, ended } = fixture.start(args, { TRIVIUM_LIFELINE: "stdin" });
          await called;
          const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
          end(child);
          assert.equal(await ended, 0, output.text);
          clearTimeout(late);
          assert.doesNotMatch(output.text, /ready|Error/);
        }
    } finally {
      silent.close();
    }
  });

  it("ends although the API server went silent while it was written to", async () => {
    await fixture.client.create(Deployment, deployment("asleep", 0));
    await fixture.client.create(Service, service("asleep"));
    const [, port] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(await readFile(fixture.kubeconfig, "utf8")) ?? [];
    const between = await startFreezable(Number(port));
    const kubeconfig = join(fixture.home, "frozen");
    await writeFile(kubeconfig, (await readFile(fixture.kubeconfig, "utf8")).replace(`:${port}`, `:${between.port}`));
    const args = ["--kubeconfig", kubeconfig, "--port", "0"];
    const { child, output, ended } = fixture.start(args, { TRIVIUM_LIFELINE: "stdin" });
    const late = setTimeout(() => child.kill("SIGKILL"), 60_000);
    try {
      await until(() => output.text.includes("ready: "), "it is ready");
      const [, url] = /^ready: (\S+)/.exec(output.text) ?? [];
      between.freeze();
      const held = fetch(`${url}/v1/chat/completions`, { method: "POST", body: JSON.stringify({ model: "asleep" }) });
      held.catch(() => {});
      await between.written;
      // What was written may be a watch that reconnects; the write that wakes the service follows.
      await sleep(1_000);
      child.stdin?.end();
      assert.equal(await ended, 1, output.text);
    } finally {
      clearTimeout(late);
      between.close();
    }
  });

  it("says in one line what is wrong with a command line", async () => {
    for (const [args, words] of [
      [["--port", "many"], /trivium-gateway: --port many is not a valid port \(expected 0 to 65535\)\n$/],
      [["--api-keys", "keys"], /--api-keys keys is not a valid Secret \(expected namespace\/name\)\n$/],
      [
        ["--api-key-file", "/nope"],
        /cannot read --api-key-file \/nope \(ENOENT\); check the path and its permissions\n$/,
      ],
      [["--api-key-file", "/dev/null"], /--api-key-file \/dev\/null contains no key; add one key per line\n$/],
      [
        ["--allowed-hosts", "http://a"],
        /--allowed-hosts: "http:\/\/a" is not a valid host name \(expected e.g. models.example.com/,
      ],
      [["--allowed-origins", "a.b"], /--allowed-origins: "a.b" is not a valid origin \(expected e.g. https:/],
      [["--prot", "1"], /Unknown option '--prot'.*; see --help\n$/s],
      [["--hold-deadline", "soon"], /--hold-deadline soon is not a valid duration \(expected e.g. 90s or 10m\)\n$/],
    ] as const) {
      const { output, ended } = fixture.start(args);
      assert.equal(await ended, 1);
      assert.match(output.text, words);
    }
  });
});

/** A connection to a server that can go silent: what is sent then arrives nowhere, and nothing comes back. */
async function startFreezable(onward: number) {
  const sockets = new Set<Socket>();
  const written = Promise.withResolvers<void>();
  let isFrozen = false;
  const server = createServer((near) => {
    const far = connect(onward, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (piece) => {
        if (!isFrozen) to.write(piece);
        else if (from === near) written.resolve();
      });
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    written: written.promise,
    freeze: () => {
      isFrozen = true;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
