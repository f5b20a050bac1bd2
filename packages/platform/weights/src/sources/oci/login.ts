import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { WeightsError } from "../../fault.ts";
import { readIni } from "../ini-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Who signs requests to Oracle's object storage. */
export interface OciKey {
  /** `tenancy/user/fingerprint`, or `ST$` and a session token. */
  readonly keyId: string;
  readonly key: KeyObject;
}

export interface OciLogin {
  /** Absent: anonymous. */
  readonly signer: OciKey | undefined;
  readonly region: string | undefined;
}

const unhandled = ["instance_principal", "resource_principal", "instance_obo_user", "oke_workload_identity"];

/** An API key or a session token, from the environment of Oracle's tools and from the profile of their configuration file. */
export async function ociLoginFrom(environment: Environment): Promise<OciLogin> {
  const auth = environment.OCI_CLI_AUTH?.toLowerCase() ?? "api_key";
  if (unhandled.includes(auth)) {
    const message = `OCI_CLI_AUTH: ${auth} is not supported; use an API key, a session token or a pre-authenticated request`;
    throw new WeightsError("refused", "InvalidOption", message);
  }
  const settings = await settingsFrom(environment);
  const region = environment.OCI_CLI_REGION || settings.region;
  if (auth === "none") return { signer: undefined, region };
  return { signer: await signerFrom(settings), region };
}

async function settingsFrom(environment: Environment): Promise<Record<string, string | undefined>> {
  const home = environment.HOME || homedir();
  const path = environment.OCI_CLI_CONFIG_FILE || environment.OCI_CONFIG_FILE || join(home, ".oci", "config");
  const chosen = environment.OCI_CLI_PROFILE || environment.OCI_CONFIG_PROFILE;
  const file = await readIni(path.replace(/^~(?=\/)/, home));
  if (chosen && file[chosen] === undefined)
    throw new WeightsError("refused", "InvalidOption", `OCI_CLI_PROFILE: profile ${chosen} not found in ${path}`);
  const given = {
    user: environment.OCI_CLI_USER,
    fingerprint: environment.OCI_CLI_FINGERPRINT,
    tenancy: environment.OCI_CLI_TENANCY,
    key_file: environment.OCI_CLI_KEY_FILE,
    key_content: environment.OCI_CLI_KEY_CONTENT,
    pass_phrase: environment.OCI_CLI_PASSPHRASE,
    security_token_file: environment.OCI_CLI_SECURITY_TOKEN_FILE,
  };
  const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  const settings: Record<string, string | undefined> = { ...file.DEFAULT, ...file[chosen || "DEFAULT"], ...named };
  const atHome = (value: string | undefined) => value?.replace(/^~(?=\/)/, home);
  return {
    ...settings,
    key_file: atHome(settings.key_file),
    security_token_file: atHome(settings.security_token_file),
  };
}

async function signerFrom(settings: Readonly<Record<string, string | undefined>>): Promise<OciKey | undefined> {
  const { tenancy, user, fingerprint, key_file: file, key_content: content, security_token_file: tokenFile } = settings;
  if (!file && !content) return undefined;
  const pem = content || (await read(file ?? "", "the key file"));
  if (tokenFile)
    return { keyId: `ST$${(await read(tokenFile, "the token file")).trim()}`, key: keyFrom(pem, settings) };
  if (!tenancy || !user || !fingerprint) {
    const message =
      "oci: an API key needs tenancy, user and fingerprint, in the configuration file or as OCI_CLI_… variables";
    throw new WeightsError("refused", "InvalidOption", message);
  }
  return { keyId: `${tenancy}/${user}/${fingerprint}`, key: keyFrom(pem, settings) };
}

function keyFrom(pem: string, { pass_phrase: passphrase }: Readonly<Record<string, string | undefined>>): KeyObject {
  try {
    return createPrivateKey({ key: pem, format: "pem", ...(passphrase ? { passphrase } : {}) });
  } catch {
    // What the parser says may quote the key.
    throw new WeightsError("refused", "InvalidOption", "oci: cannot read the private key; check its passphrase");
  }
}

async function read(path: string, what: string): Promise<string> {
  return readFile(path, "utf8").catch((error) => {
    throw new WeightsError("refused", "InvalidOption", `oci: cannot read ${what} ${path}`, { cause: error });
  });
}
