import { signal } from "@preact/signals";
import { paths, type SessionInfo, startTokenParameter } from "@trivium/dashboard-server/contract";
import { getJson, send } from "../kube/request.ts";
import { showNamespace } from "../kube/scope.ts";

/** Who uses the page, and what this server can do. */
export const session = signal<SessionInfo | undefined>(undefined);
/** Why there is no session. */
export const sessionFailure = signal("");

/** Takes the token out of the address before anything else sees it, and opens a session with it. */
export async function startSession(): Promise<void> {
  const token = takeStartToken();
  try {
    if (token !== undefined) await login(token);
    else showSession(await getJson<SessionInfo>(paths.session));
  } catch (error) {
    sessionFailure.value = error instanceof Error ? error.message : String(error);
    session.value ??= await getJson<SessionInfo>(paths.session).catch(() => undefined);
  }
}

/** A control plane of one namespace has nothing to show of the others. */
function showSession(info: SessionInfo): void {
  session.value = info;
  const [first, ...more] = info.namespaces ?? [];
  if (first !== undefined && more.length === 0) showNamespace(first);
}

/** After the server has ended the session, the page says so and asks for a log-in. */
export async function refreshSession(): Promise<void> {
  const info = await getJson<SessionInfo>(paths.session).catch(() => session.value);
  if (info?.needsLogin === true && session.value?.needsLogin === false) sessionFailure.value = sessionEnded;
  session.value = info;
}

const sessionEnded =
  "Session ended: its token is no longer valid, the dashboard was restarted, or the session was too old; log in again";

export async function login(token: string): Promise<void> {
  const body = JSON.stringify({ token });
  showSession(await getJson<SessionInfo>(paths.session, { method: "POST", body }));
  sessionFailure.value = "";
}

export async function logout(): Promise<void> {
  await send(paths.session, { method: "DELETE" });
  location.reload();
}

function takeStartToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get(startTokenParameter);
  if (token === null) return undefined;
  history.replaceState(null, "", `${location.pathname}#/`);
  return token;
}
