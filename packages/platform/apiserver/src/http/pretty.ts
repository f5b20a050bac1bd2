import type { IncomingMessage } from "node:http";
import type { ApiResponse } from "@trivium/kube";

type WholeAnswer = ApiResponse & { readonly body: string };

/** People with curl or a browser get indented JSON, as a kube-apiserver gives them; programs get what is fastest. */
export function prettyAnswer(request: IncomingMessage, answer: WholeAnswer): WholeAnswer {
  if (!isWanted(request) || !String(answer.headers["content-type"] ?? "").startsWith("application/json")) return answer;
  if (answer.body === "") return answer;
  return { ...answer, body: JSON.stringify(JSON.parse(answer.body), null, 2) };
}

function isWanted(request: IncomingMessage): boolean {
  const asked = /[?&]pretty(?:=([^&]*))?(?:&|$)/.exec(request.url ?? "");
  if (asked !== null) return asked[1] !== "false" && asked[1] !== "0";
  const agent = request.headers["user-agent"];
  return agent !== undefined && /^(curl|Wget|Mozilla)\//.test(agent);
}
