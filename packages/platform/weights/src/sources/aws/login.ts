import { execFile } from "node:child_process";
import { WeightsError } from "../../fault.ts";
import type { HttpClient } from "../../transfer/http/http-client.ts";
import type { AwsCredentials } from "../s3/sigv4.ts";
import { type AwsLogin, type IssuedCredentials, renewing } from "./credentials.ts";
import { parseIssued } from "./issued.ts";
import { containerCredentials, containerEndpoint, instanceCredentials } from "./metadata.ts";
import type { AwsProfile } from "./profile.ts";
import { assumeRole, type WebIdentity } from "./web-identity.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoginPlace {
  readonly client: HttpClient;
  readonly environment: Environment;
  readonly profile: AwsProfile;
  readonly region: string;
}

/**
 * Keys, from the first place that has any: the environment, the profile of the shared files, a web identity, the container's service,
 * the machine's own role (only where the operator allows it). None means anonymous.
 */
export function awsLogin(place: LoginPlace): AwsLogin {
  const { client, environment, profile } = place;
  const fixed = keysIn({
    aws_access_key_id: environment.AWS_ACCESS_KEY_ID,
    aws_secret_access_key: environment.AWS_SECRET_ACCESS_KEY,
    aws_session_token: environment.AWS_SESSION_TOKEN,
  });
  if (fixed !== undefined) return async () => fixed;
  // A profile that was asked for by name goes before what the cluster put into the environment.
  const wasNamed = Boolean(environment.AWS_PROFILE);
  const [inPod, inProfile] = [podIdentity(place), profileLogin(place)];
  const first = wasNamed ? (inProfile ?? inPod) : (inPod ?? inProfile);
  if (first !== undefined) return renewing(first);
  const container = containerEndpoint(environment);
  if (container !== undefined) return renewing((signal) => containerCredentials(container, environment, signal));
  if (isMetadataAllowed(environment)) return renewing((signal) => instanceCredentials(environment, signal));
  return async () => undefined;

  function podIdentity({ region }: LoginPlace): Issue | undefined {
    const { AWS_ROLE_ARN: roleArn, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile } = environment;
    if (!roleArn || !tokenFile) return undefined;
    const sessionName = environment.AWS_ROLE_SESSION_NAME || "trivium-weights";
    return assumed({ roleArn, tokenFile, sessionName, endpoint: stsEndpoint(environment, region) });
  }

  function profileLogin({ region }: LoginPlace): Issue | undefined {
    const { settings, name } = profile;
    const keys = keysIn(settings);
    if (keys !== undefined) return async () => keys;
    const { role_arn: roleArn, web_identity_token_file: tokenFile, credential_process: command } = settings;
    if (roleArn && tokenFile) {
      const sessionName = settings.role_session_name || "trivium-weights";
      return assumed({ roleArn, tokenFile, sessionName, endpoint: stsEndpoint(environment, region) });
    }
    if (command) return (signal) => credentialProcess(command, environment, signal);
    const unknown = ["source_profile", "credential_source", "sso_session", "sso_start_url"].find(
      (each) => settings[each],
    );
    if (unknown === undefined) return undefined;
    const message = `profile ${name}: ${unknown} is not supported; use keys, web_identity_token_file or credential_process`;
    throw new WeightsError("refused", "InvalidOption", message);
  }

  function assumed(identity: WebIdentity): Issue {
    return (signal) => assumeRole(client, identity, signal);
  }
}

type Issue = (signal: AbortSignal) => Promise<IssuedCredentials | undefined>;

/** Whoever may choose a model's address could otherwise make a pod speak with the rights of its machine. */
export function isMetadataAllowed(environment: Environment): boolean {
  if (environment.AWS_EC2_METADATA_DISABLED?.toLowerCase() === "true") return false;
  return environment.TRIVIUM_WEIGHTS_INSTANCE_METADATA === "allowed";
}

function stsEndpoint(environment: Environment, region: string): string {
  const given = environment.AWS_ENDPOINT_URL_STS;
  if (given && URL.parse(given) === null)
    throw new WeightsError("refused", "InvalidOption", `AWS_ENDPOINT_URL_STS: ${given} is not a valid URL`);
  return given || `https://sts.${region}.amazonaws.com/`;
}

function keysIn(settings: Readonly<Record<string, string | undefined>>): AwsCredentials | undefined {
  const { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: token } = settings;
  if (!id || !secret) return undefined;
  return { accessKeyId: id, secretAccessKey: secret, ...(token ? { sessionToken: token } : {}) };
}

/** The command is the operator's own, from a file on this machine; quotes group words and nothing else has a meaning. */
function credentialProcess(command: string, environment: Environment, signal: AbortSignal): Promise<IssuedCredentials> {
  const [program = "", ...args] = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? "");
  const env = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    execFile(program, args, { env, signal, timeout: 60_000, maxBuffer: 65_536 }, (error, stdout) => {
      // What the program said may hold a secret, so only its name is told.
      const message = `credential_process ${program} failed`;
      if (error !== null) return reject(new WeightsError("not-allowed", "TokenMissing", message));
      try {
        resolve(parseIssued(stdout, `credential_process ${program}`));
      } catch (fault) {
        reject(fault);
      }
    });
  });
}
