import { homedir } from "node:os";
import { join } from "node:path";
import { WeightsError } from "../../fault.ts";
import { readIni } from "../ini-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface AwsProfile {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** The chosen section of the shared files. What the credentials file says wins over the configuration file. */
export async function awsProfileFrom(environment: Environment): Promise<AwsProfile> {
  const folder = join(environment.HOME || homedir(), ".aws");
  const chosen = environment.AWS_PROFILE || environment.AWS_DEFAULT_PROFILE;
  const name = chosen || "default";
  const config = await readIni(environment.AWS_CONFIG_FILE || join(folder, "config"));
  const secrets = await readIni(environment.AWS_SHARED_CREDENTIALS_FILE || join(folder, "credentials"));
  const [general, own] = [config[`profile ${name}`] ?? config[name], secrets[name]];
  if (chosen !== undefined && chosen !== "" && general === undefined && own === undefined) {
    const message = `AWS_PROFILE: profile ${name} not found in the configuration and credentials files`;
    throw new WeightsError("refused", "InvalidOption", message);
  }
  return { name, settings: { ...general, ...own } };
}
