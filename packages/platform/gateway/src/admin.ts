import { createServer, type Server } from "node:http";
import { isHostAllowed, type WebAccess } from "@trivium/std";
import type { Metrics } from "./metrics.ts";

/** What is for those who run the gateway and not for those who use it, on an address of its own. */
export function openAdmin(metrics: Metrics, access: WebAccess): Server {
  return createServer(async (request, response) => {
    // Figures are no business of web pages.
    if (request.headers.origin !== undefined || !isHostAllowed(request.headers.host ?? "localhost", access))
      return void response.writeHead(403).end();
    const path = request.url?.split("?", 1)[0];
    if (path === "/healthz" || path === "/readyz")
      return void response.writeHead(200, { "content-type": "text/plain" }).end("ok\n");
    if (path !== "/metrics") return void response.writeHead(404).end();
    const text = await metrics.registry.metrics();
    response.writeHead(200, { "content-type": metrics.registry.contentType }).end(text);
  });
}
