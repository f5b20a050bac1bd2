import { ApiError } from "@trivium/kube";
import type { Connection, Login } from "../connection.ts";
import { Refused } from "../http/fault.ts";
import { expiryOf, identify } from "./identify.ts";
import type { NewSession } from "./sessions.ts";
import { StartToken } from "./start-token.ts";

/** Exchanges a token for the connection and user of a session, or refuses it. */
export type LogIn = (token: string, signal: AbortSignal) => Promise<NewSession>;

export function createLogIn(login: Login): LogIn {
  return login.is === "start-token" ? byStartToken(login) : byClusterToken(login);
}

function byStartToken({ connection, publish }: Extract<Login, { is: "start-token" }>): LogIn {
  const start = new StartToken(publish);
  // The connection belongs to the dashboard and outlives each session.
  const { close: _, ...shared } = connection;
  return async (token, signal) => {
    if (!start.exchange(token))
      throw new Refused(
        "LoginFailed",
        "This address was used already; run trivium status, or look at the terminal of trivium dashboard, for a new one",
      );
    return { connection: shared, user: await userOf(shared, signal) };
  };
}

/** A cluster that does not answer right now is shown by the page; it is no reason to keep its user out. */
async function userOf(connection: Connection, signal: AbortSignal): Promise<NewSession["user"]> {
  return identify(connection, signal).catch(() => ({ name: "unknown", groups: [] }));
}

function byClusterToken({ connect }: Extract<Login, { is: "cluster-token" }>): LogIn {
  return async (token, signal) => {
    // A line break or a space would become another header, or another token.
    if (!/^[\x21-\x7e]{1,16384}$/.test(token))
      throw new Refused("LoginFailed", "This is not a token; paste the output of kubectl create token");
    const connection = connect(token);
    try {
      const user = await identify(connection, signal);
      if (user.name === "system:anonymous") throw rejected();
      return { connection, user, expiresAt: expiryOf(token), endsWithToken: true };
    } catch (error) {
      await connection.close?.();
      throw refusalOf(error);
    }
  };
}

const rejected = (): Refused => new Refused("LoginFailed", "The cluster does not accept this token; create a new one");

/** What the API says is not repeated: it may quote the token. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 401 || error.code === 403) return rejected();
  const answer = error.code === 0 ? "does not respond" : `responds with ${error.code}`;
  return new Refused("Unavailable", `The Kubernetes API ${answer}; try again`);
}
