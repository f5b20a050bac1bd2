import type { IncomingMessage, ServerResponse } from "node:http";
import type { SessionInfo } from "../contract.ts";
import { sendJson } from "../http/answer.ts";
import { Refused } from "../http/fault.ts";
import { readJson } from "../http/read-body.ts";
import type { Attempts } from "./attempts.ts";
import { expiredCookie, sessionCookie, sessionIdOf } from "./cookie.ts";
import type { LogIn } from "./log-in.ts";
import type { Session, Sessions } from "./sessions.ts";

export interface SessionService {
  readonly sessions: Sessions;
  readonly attempts: Attempts | undefined;
  readonly logIn: LogIn;
  /** What GET /session says of this dashboard, with a session and without. */
  describe(session: Session | undefined): SessionInfo;
}

const maxLoginBytes = 32 * 1024;

export async function serveSession(
  request: IncomingMessage,
  response: ServerResponse,
  service: SessionService,
): Promise<void> {
  const { sessions, describe } = service;
  switch (request.method) {
    case "GET":
    case "HEAD":
      return sendJson(response, 200, describe(sessions.find(sessionIdOf(request))));
    case "POST":
      return logIn(request, response, service);
    case "DELETE":
      sessions.close(sessionIdOf(request));
      response.setHeader("set-cookie", expiredCookie(request));
      return sendJson(response, 200, describe(undefined));
    default:
      throw new Refused("MethodNotAllowed", "/session takes GET, POST and DELETE");
  }
}

async function logIn(request: IncomingMessage, response: ServerResponse, service: SessionService): Promise<void> {
  const address = request.socket.remoteAddress ?? "";
  service.attempts?.check(address);
  const { token } = await readJson(request, maxLoginBytes);
  if (typeof token !== "string" || token === "") throw new Refused("BadRequest", "token must be a non-empty string");
  const fresh = await service.logIn(token, AbortSignal.timeout(patience)).catch((error: unknown) => {
    if (error instanceof Refused && error.code === "LoginFailed") service.attempts?.fail(address);
    throw error;
  });
  const id = service.sessions.open(fresh);
  service.sessions.close(sessionIdOf(request));
  response.setHeader("set-cookie", sessionCookie(request, id));
  sendJson(response, 200, service.describe(service.sessions.find(id)));
}

const patience = 30_000;
