import { createServer, type Server } from "node:http";
import type { Metrics } from "./metrics.ts";

/** What is for those who run the gateway and not for those who use it, on an address of its own. */
export function openAdmin(metrics: Metrics): Server {
  return createServer(async (request, response) => {
    const path = request.url?.split("?", 1)[0];
    if (path === "/healthz" || path === "/readyz")
      return void response.writeHead(200, { "content-type": "text/plain" }).end("ok\n");
    if (path !== "/metrics") return void response.writeHead(404).end();
    const text = await metrics.registry.metrics();
    response.writeHead(200, { "content-type": metrics.registry.contentType }).end(text);
  });
}
