import { createServer, type Server } from "node:http";
import { isHostAllowed, type WebAccess } from "@trivium/std";
import { Registry } from "prom-client";

/** What is for those who run the gateway and not for those who use it, on an address of its own. */
export function openAdmin(metrics: () => Promise<string>, access: WebAccess, isReady = () => true): Server {
  return createServer(async (request, response) => {
    // Figures are no business of web pages.
    if (request.headers.origin !== undefined || !isHostAllowed(request.headers.host ?? "localhost", access))
      return void response.writeHead(403).end();
    const path = request.url?.split("?", 1)[0];
    if (path === "/readyz" && !isReady())
      return void response.writeHead(503, { "content-type": "text/plain" }).end("no worker is ready\n");
    if (path === "/healthz" || path === "/readyz")
      return void response.writeHead(200, { "content-type": "text/plain" }).end("ok\n");
    if (path !== "/metrics") return void response.writeHead(404).end();
    const text = await metrics();
    response.writeHead(200, { "content-type": Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
  });
}
