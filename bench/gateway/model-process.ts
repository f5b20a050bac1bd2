// A model server that costs next to nothing: a whole answer at once, or 50 events of 5 ms each that say when they were sent.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const answer = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "demo",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello" } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (piece: Buffer) => {
    body += piece.toString("latin1");
  });
  request.on("end", () => {
    if (request.method === "GET") return void response.end('{"data":[{"id":"demo"}]}');
    if (!body.includes('"stream":true')) {
      return void response
        .writeHead(200, { "content-type": "application/json", "content-length": answer.length })
        .end(answer);
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    let left = 50;
    const timer = setInterval(() => {
      left -= 1;
      response.write(`data: {"at":${performance.timeOrigin + performance.now()}}\n\n`);
      if (left > 0) return;
      clearInterval(timer);
      response.end("data: [DONE]\n\n");
    }, 5);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
