import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { WeightsError } from "../../fault.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** How a registry knows us: `user:password` in base64, or a token to get shorter-lived ones with. */
export type RegistryLogin =
  | { readonly is: "basic"; readonly basic: string }
  | { readonly is: "identity-token"; readonly token: string };

export type RegistryLogins = (host: string) => Promise<RegistryLogin | undefined>;

/** What such a file says of one host. */
export interface DockerAuth {
  readonly auth?: unknown;
  readonly identitytoken?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
}

interface DockerConfig {
  readonly auths?: Readonly<Record<string, DockerAuth>>;
  readonly credHelpers?: Readonly<Record<string, unknown>>;
  readonly credsStore?: unknown;
}

/**
 * Reads the file that `docker login` and its relatives write, and asks the helpers it names. `DOCKER_AUTH_CONFIG` has the text of such a file
 * instead. A login is looked for once a host.
 */
export function registryLoginsFrom(environment: Environment): RegistryLogins {
  const known = new Map<string, Promise<RegistryLogin | undefined>>();
  return (host) => {
    const found = known.get(host) ?? loginOf(host, environment);
    known.set(host, found);
    return found;
  };
}

async function loginOf(host: string, environment: Environment): Promise<RegistryLogin | undefined> {
  const config = await readConfig(environment);
  const keys = keysOf(host);
  const helper = keys.map((key) => config.credHelpers?.[key]).find((name) => typeof name === "string" && name !== "");
  if (typeof helper === "string") return askHelper(helper, keys, environment);
  const login = loginIn(keys.map((key) => config.auths?.[key]).find((each) => each !== undefined));
  if (login !== undefined) return login;
  if (typeof config.credsStore === "string" && config.credsStore !== "")
    return askHelper(config.credsStore, keys, environment);
  return undefined;
}

/** Tools write the login whole, as its two halves, or both. */
export function loginIn(entry: DockerAuth | undefined): RegistryLogin | undefined {
  const { identitytoken, auth, username, password } = entry ?? {};
  if (typeof identitytoken === "string" && identitytoken !== "") return { is: "identity-token", token: identitytoken };
  if (typeof auth === "string" && /^[A-Za-z0-9+/]+=*$/.test(auth)) return { is: "basic", basic: auth };
  if (typeof username !== "string" || typeof password !== "string" || username === "") return undefined;
  return { is: "basic", basic: Buffer.from(`${username}:${password}`).toString("base64") };
}

/** The names under which tools have filed logins over the years. */
function keysOf(host: string): string[] {
  const old = host === "docker.io" ? ["https://index.docker.io/v1/", "index.docker.io"] : [];
  return [host, `https://${host}`, `http://${host}`, `https://${host}/v1/`, `https://${host}/v2/`, ...old];
}

async function readConfig(environment: Environment): Promise<DockerConfig> {
  // A Secret of a tenant can be in it: it names logins, and no program to run.
  if (environment.DOCKER_AUTH_CONFIG)
    return { auths: parseConfig(environment.DOCKER_AUTH_CONFIG, "DOCKER_AUTH_CONFIG").auths ?? {} };
  const home = environment.HOME || homedir();
  const path =
    environment.REGISTRY_AUTH_FILE || join(environment.DOCKER_CONFIG || join(home, ".docker"), "config.json");
  return parseConfig(await readFile(path, "utf8").catch(() => "{}"), path);
}

function parseConfig(text: string, place: string): DockerConfig {
  try {
    return (JSON.parse(text) ?? {}) as DockerConfig;
  } catch {
    throw new WeightsError("refused", "InvalidOption", `${place}: it is not JSON`);
  }
}

async function askHelper(
  name: string,
  keys: readonly string[],
  environment: Environment,
): Promise<RegistryLogin | undefined> {
  if (!/^[\w.-]+$/.test(name)) throw new WeightsError("refused", "InvalidOption", "credsStore: expected a plain name");
  for (const key of keys) {
    const reported = await runHelper(`docker-credential-${name}`, key, environment);
    const login = reported === undefined ? undefined : parseHelper(reported);
    if (login !== undefined) return login;
  }
  return undefined;
}

/** A helper that knows nothing of a host ends with an error; only one that cannot be started is worth a word. */
function runHelper(program: string, host: string, environment: Environment): Promise<string | undefined> {
  const env = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const child = spawn(program, ["get"], { env, timeout: 30_000, stdio: ["pipe", "pipe", "ignore"] });
    let out = "";
    child.stdout.on("data", (chunk) => {
      if (out.length < 65_536) out += chunk;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(host);
    child.once("error", () => {
      reject(new WeightsError("refused", "InvalidOption", `${program}: cannot start the credential helper`));
    });
    child.once("close", (code) => resolve(code === 0 ? out : undefined));
  });
}

function parseHelper(text: string): RegistryLogin | undefined {
  try {
    const { Username: user, Secret: secret } = JSON.parse(text) as { Username?: unknown; Secret?: unknown };
    if (typeof user !== "string" || typeof secret !== "string" || secret === "") return undefined;
    if (user === "<token>") return { is: "identity-token", token: secret };
    return { is: "basic", basic: Buffer.from(`${user}:${secret}`).toString("base64") };
  } catch {
    return undefined;
  }
}
