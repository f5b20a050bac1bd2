import type { IncomingMessage } from "node:http";

/** Cookies of one host are shared by all its ports: with the port in its name, two dashboards of a machine keep apart. */
const nameOf = ({ socket }: IncomingMessage): string => `trivium-session-${socket.localPort ?? 0}`;

export function sessionIdOf(request: IncomingMessage): string | undefined {
  const name = nameOf(request);
  for (const part of (request.headers.cookie ?? "").split(";")) {
    const [key = "", value = ""] = part.trim().split("=", 2);
    if (key === name && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
}

/** No script reads it and no other site sends it. It ends with the browser, or before that with the session. */
export const sessionCookie = (request: IncomingMessage, id: string): string =>
  [`${nameOf(request)}=${id}`, ...attributesOf(request)].join("; ");

export const expiredCookie = (request: IncomingMessage): string =>
  [`${nameOf(request)}=`, "Max-Age=0", ...attributesOf(request)].join("; ");

function attributesOf({ headers }: IncomingMessage): string[] {
  // A proxy in front that ends TLS says so. One that lies makes the cookie stricter, no more.
  const isSecure = headers["x-forwarded-proto"] === "https";
  return ["Path=/", "HttpOnly", "SameSite=Strict", ...(isSecure ? ["Secure"] : [])];
}
