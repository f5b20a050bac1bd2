import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Login } from "@trivium/node";

type Environment = Readonly<NodeJS.ProcessEnv>;

/** How downloads reach the outside. */
const reach = [
  "HF_ENDPOINT",
  ...["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
  ...["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "TRIVIUM_WEIGHTS_CERTIFICATES"],
];

/**
 * What downloads in pods take from the shell of `trivium up`. The operator and the node agent look at sources with the same
 * variables, so that a repository which they see is the one that pods fetch.
 */
export const downloadEnvironmentOf = (environment: Environment): Record<string, string> =>
  pick(environment, (name) => reach.includes(name));

/** What leads requests elsewhere: who chooses it sees what is sent. */
const isProxy = (name: string): boolean => /^(HTTPS?_PROXY|https?_proxy)$/.test(name);

/** The logins of the user who runs `trivium up`: variables of the shell, and the files that the tools of each source write. */
export function downloadLoginsOf(environment: Environment): Login[] {
  const home = environment.HOME || homedir();
  const hub = environment.HF_HOME || join(home, ".cache", "huggingface");
  const files = {
    HF_TOKEN_PATH: join(hub, "token"),
    AWS_CONFIG_FILE: join(home, ".aws", "config"),
    AWS_SHARED_CREDENTIALS_FILE: join(home, ".aws", "credentials"),
    OCI_CLI_CONFIG_FILE: join(home, ".oci", "config"),
    REGISTRY_AUTH_FILE: join(environment.DOCKER_CONFIG || join(home, ".docker"), "config.json"),
  };
  const found = Object.entries(files).filter(([, path]) => existsSync(path));
  // A pod has a home of its own, so what lies in the user's is named.
  const known = { ...Object.fromEntries(found), ...environment };
  return families.map(({ isLogin, isOwn }) => ({
    env: pick(known, isLogin),
    isOwn: (name) => isOwn(name) || isProxy(name),
  }));
}

const hubLogins = ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH"];
const regions = ["AWS_REGION", "AWS_DEFAULT_REGION"];

const families: readonly { readonly isLogin: Login["isOwn"]; readonly isOwn: Login["isOwn"] }[] = [
  {
    isLogin: (name) => hubLogins.includes(name),
    isOwn: (name) => name === "HF_ENDPOINT" || hubLogins.includes(name),
  },
  {
    isLogin: (name) => name.startsWith("AWS_"),
    isOwn: (name) => name.startsWith("AWS_") && !regions.includes(name),
  },
  { isLogin: (name) => name.startsWith("OCI_"), isOwn: (name) => name.startsWith("OCI_") },
  {
    isLogin: (name) => name === "REGISTRY_AUTH_FILE",
    isOwn: (name) => /^(REGISTRY_AUTH_FILE|DOCKER_CONFIG|DOCKER_AUTH_CONFIG)$/.test(name),
  },
];

function pick(environment: Environment, isWanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && isWanted(name) ? [[name, value]] : [],
    ),
  );
}
