import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { issueCertificate } from "@trivium/apiserver";
import { Event, Pod } from "@trivium/kube";
import { HubServer } from "@trivium/testkit";
import { clientOf, temporaryHome, trivium } from "./running.ts";

const demo = join(import.meta.dirname, "../../../examples/models/demo/demo.gguf");
/** Known to the proxy alone: no name server has it. */
const host = "hub.company.internal";
const token = "hf_good";

describe("a private repository behind a proxy, on a server with a certificate of a private authority", () => {
  const folder = temporaryHome();
  const home = join(folder.path, "home");
  const bundle = join(folder.path, "company.pem");
  const asked: string[] = [];
  const logins: (string | undefined)[] = [];
  const servers: Server[] = [];
  let hub: HubServer;
  let environment: Record<string, string> = {};

  async function listen(server: Server): Promise<number> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  }

  before(async () => {
    hub = await new HubServer().listen();
    hub.access = "private";
    hub.files.set("demo-Q8_0.gguf", { content: readFileSync(demo), isLarge: false });
    const config = { architectures: ["LlamaForCausalLM"], model_type: "llama" };
    hub.files.set("config.json", { content: Buffer.from(JSON.stringify(config)), isLarge: false });
    const issue = { days: 1, now: new Date() };
    const authority = issueCertificate({ commonName: "Company", use: { is: "authority" }, ...issue });
    const use = { is: "server" as const, names: [host], addresses: [] };
    const identity = issueCertificate({ commonName: host, use, ...issue }, authority);
    writeFileSync(bundle, authority.cert);
    const front = await listen(
      createTlsServer(identity, ({ method, url, headers }, response) => {
        logins.push(headers.authorization);
        const inner = forward(new URL(url ?? "/", hub.endpoint), { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
        inner.on("error", () => response.destroy());
        inner.end();
      }),
    );
    const proxy = createServer((_, response) => response.writeHead(405).end());
    proxy.on("connect", ({ url = "" }, socket, head) => {
      asked.push(url);
      if (url !== `${host}:443`) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      const onward = connect(front, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        onward.write(head);
        socket.pipe(onward).pipe(socket);
      });
      for (const end of [socket, onward]) end.on("error", () => socket.destroy());
    });
    environment = {
      ...{ TRIVIUM_HOME: home, HOME: folder.path, KUBECONFIG: "" },
      ...{ HF_TOKEN: token, HF_ENDPOINT: `https://${host}` },
      ...{ HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}`, NO_PROXY: "127.0.0.1,localhost" },
      SSL_CERT_FILE: bundle,
    };
  });

  after(async () => {
    await call("down");
    for (const server of servers) server.close();
    await hub.close();
    folder.remove();
  });

  async function call(...args: string[]): Promise<{ code: number | string; output: string; errors: string }> {
    const process = trivium(args, environment);
    const code = await process.ended;
    return { code, output: process.output(), errors: process.errors() };
  }

  for (const dialect of ["llmkube", "aim", "ome"])
    it(`is served and answers: ${dialect}`, async () => {
      const { code, output, errors } = await call(
        "run",
        "org/repo",
        "What is Trivium?",
        "--as",
        dialect,
        "--name",
        dialect,
      );
      assert.equal(code, 0, errors);
      assert.match(output, /Trivium/);
    });

  it("is trusted by NODE_EXTRA_CA_CERTS also where another variable names other authorities", async () => {
    const { SSL_CERT_FILE: _, ...others } = environment;
    const stranger = issueCertificate({ commonName: "Other", use: { is: "authority" }, days: 1, now: new Date() });
    const other = join(folder.path, "other.pem");
    writeFileSync(other, stranger.cert);
    const process = trivium(["run", "org/repo", "--print"], {
      ...others,
      ...{ NODE_EXTRA_CA_CERTS: bundle, SSL_CERT_FILE: "", CURL_CA_BUNDLE: other },
    });
    assert.equal(await process.ended, 0, process.errors());
  });

  it("is asked through the proxy only, and with the token", () => {
    // AIM looks for the image of its model server.
    const others = asked.filter((place) => place !== `${host}:443` && place !== "registry-1.docker.io:443");
    assert.deepEqual(others, []);
    assert.ok(logins.length > 3 && logins.every((login) => login === `Bearer ${token}`), JSON.stringify(logins));
  });

  it("leaves the token in no object, no log and no pod that serves", async () => {
    const client = await clientOf(home);
    const pods = await client.list(Pod);
    assert.ok(pods.items.length >= 3);
    const objects = JSON.stringify([pods, await client.list(Event)]);
    assert.ok(!objects.includes(token));
    assert.ok(!objects.includes("HTTPS_PROXY"));
    assert.deepEqual(
      readdirSync(home, { recursive: true, encoding: "utf8" }).filter(
        (name) => name.endsWith(".log") && readFileSync(join(home, name), "utf8").includes(token),
      ),
      [],
    );
    const engines = readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry))
      .filter(
        (entry) =>
          read(`/proc/${entry}/cmdline`).includes("--model\0") && read(`/proc/${entry}/environ`).includes(home),
      );
    assert.ok(engines.length >= 3, `${engines.length} engines`);
    for (const entry of engines) assert.ok(!read(`/proc/${entry}/environ`).includes(token), `process ${entry}`);
  });
});

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
