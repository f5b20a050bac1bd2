import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { modelHeader, sourceHead } from "@trivium/domain";
import type { AddressRule } from "@trivium/weights";
import { modelSourceAnswers } from "../src/index.ts";
import { ask } from "./ask.ts";

const demo = readFileSync(new URL("../../../../examples/models/demo/demo.gguf", import.meta.url));

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(t: TestContext, respond: Respond): Promise<{ port: number; sent: () => number }> {
  let sent = 0;
  const server = createServer((request, response) => {
    response.on("close", () => {
      sent += response.socket?.bytesWritten ?? 0;
    });
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sent: () => sent };
}

const file =
  (content: Buffer, { ranges = true, etag = 'W/"v1"' } = {}): Respond =>
  (request, response) => {
    const range = ranges ? /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") : null;
    const [from, to] = range === null ? [0, content.length] : [Number(range[1]), Number(range[2]) + 1];
    const part = content.subarray(from, Math.min(to, content.length));
    response.writeHead(range === null ? 200 : 206, {
      etag,
      "content-length": part.length,
      ...(range === null ? {} : { "content-range": `bytes ${from}-${from + part.length - 1}/${content.length}` }),
    });
    response.end(request.method === "HEAD" ? undefined : part);
  };

function asking(addresses: AddressRule = "any") {
  const answers = modelSourceAnswers({ environment: {}, addresses, localRoots: [], now: () => 5 });
  return {
    head: (url: string) => ask(answers, sourceHead, { url }),
    header: (uri: string) => ask(answers, modelHeader, { uri }),
  };
}

test("the head of a file has its version without ornament, its length and the time", async (t) => {
  const { port } = await serve(t, file(demo));
  const head = await asking().head(`http://127.0.0.1:${port}/m.gguf`);
  assert.deepEqual(head, { version: "v1", length: demo.length, at: 5 });
});

for (const ranges of [true, false]) {
  test(`the header is read ${ranges ? "over ranges" : "from the start of the stream where there are none"}`, async (t) => {
    const { port } = await serve(t, file(demo, { ranges }));
    const header = await asking().header(`http://127.0.0.1:${port}/m.gguf`);
    assert.ok(header?.format === "gguf");
    assert.equal(header.metadata["general.architecture"], "llama");
  });
}

test("no more than the header is transferred of a long file", async (t) => {
  const { port, sent } = await serve(t, file(Buffer.concat([demo, Buffer.alloc(48 << 20)])));
  await asking().header(`http://127.0.0.1:${port}/m.gguf`);
  assert.ok(sent() < 16 << 20, `${sent()} bytes were sent`);
});

test("a file that is cut off or something else is an answer; a server that fails is none", async (t) => {
  const cut = await serve(t, file(demo.subarray(0, demo.length / 2)));
  const broken = await asking().header(`http://127.0.0.1:${cut.port}/m.gguf`);
  assert.ok(broken?.format === "broken" && broken.why.includes("m.gguf"), JSON.stringify(broken));
  const page = await serve(t, file(Buffer.from("<html>not found, nicely</html>")));
  assert.equal((await asking().header(`http://127.0.0.1:${page.port}/m.gguf`))?.format, "broken");
  const down = await serve(t, (_, response) => response.writeHead(500).end());
  await assert.rejects(asking().header(`http://127.0.0.1:${down.port}/m.gguf`), /500/);
  await assert.rejects(asking().head(`http://127.0.0.1:${down.port}/m.gguf`), /500/);
  const none = await serve(t, (_, response) => response.writeHead(404).end());
  const missing = await asking().head(`http://127.0.0.1:${none.port}/m.gguf`);
  assert.ok(missing !== undefined && "refused" in missing && missing.refused === "not-found", JSON.stringify(missing));
  const locked = await serve(t, (_, response) => response.writeHead(401).end());
  const refused = await asking().head(`http://127.0.0.1:${locked.port}/m.gguf`);
  assert.ok(
    refused !== undefined && "refused" in refused && refused.refused === "not-allowed",
    JSON.stringify(refused),
  );
  await assert.rejects(asking().header(`http://127.0.0.1:${locked.port}/m.gguf`), /401/);
  assert.equal(await asking().header(`http://127.0.0.1:${none.port}/m.gguf`), undefined);
});

test("addresses inside are not asked, unless they are named; a redirect there is not followed", async (t) => {
  let calls = 0;
  const { port } = await serve(t, (request, response) => {
    calls += 1;
    if (request.url === "/away.gguf")
      return void response.writeHead(302, { location: `http://127.0.0.1:${port}/m.gguf` }).end();
    file(demo)(request, response);
  });
  for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254", "100.64.0.1"]) {
    await assert.rejects(asking("public").head(`http://${host}:${port}/m.gguf`), /private or reserved/, host);
  }
  assert.equal(calls, 0, "nobody was connected to");
  const named = asking({ publicAnd: ["localhost"] });
  assert.deepEqual(await named.head(`http://localhost:${port}/m.gguf`), { version: "v1", length: demo.length, at: 5 });
  await assert.rejects(named.head(`http://localhost:${port}/away.gguf`), /127\.0\.0\.1.*private or reserved/);
  const network = asking({ publicAnd: ["localhost", "127.0.0.0/8"] });
  assert.deepEqual(await network.head(`http://localhost:${port}/away.gguf`), {
    version: "v1",
    length: demo.length,
    at: 5,
  });
});
