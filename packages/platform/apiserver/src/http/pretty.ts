import type { IncomingMessage } from "node:http";
import type { ApiResponse } from "@trivium/kube";

/** People with curl or a browser get indented JSON, as a kube-apiserver gives them; programs get what is fastest. */
export function prettyBody(request: IncomingMessage, headers: ApiResponse["headers"], body: string): string {
  if (!isWanted(request) || body === "") return body;
  if (!String(headers["content-type"] ?? "").startsWith("application/json")) return body;
  return JSON.stringify(JSON.parse(body), null, 2);
}

function isWanted(request: IncomingMessage): boolean {
  const asked = /[?&]pretty(?:=([^&]*))?(?:&|$)/.exec(request.url ?? "");
  if (asked !== null) return asked[1] !== "false" && asked[1] !== "0";
  const agent = request.headers["user-agent"];
  return agent !== undefined && /^(curl|Wget|Mozilla)\//.test(agent);
}
