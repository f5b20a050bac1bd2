import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { debianPackages, type Packages, programOf } from "./debian.ts";
import { type Service, startService } from "./service.ts";

export interface RegistryOptions {
  /** Lines of an htpasswd file (bcrypt); with them nobody gets in without a login. */
  readonly logins?: string;
  /** Who gives out tokens: with it nobody gets in without one that bears its signature. */
  readonly tokens?: {
    readonly realm: string;
    readonly service: string;
    readonly issuer: string;
    readonly cert: string;
  };
}

/** The OCI registry that Debian packs, with its files in its own folder; or why it cannot be had. */
export async function startRegistry(
  options: RegistryOptions = {},
): Promise<Service | Extract<Packages, { is: "missing" }>> {
  const packages = await debianPackages("docker-registry");
  if (packages.is === "missing") return packages;
  return startService({
    program: programOf(packages, "docker-registry"),
    environment: packages.environment,
    async prepare({ folder, port }) {
      const path = join(folder, "config.yml");
      const auth = await prepareAuth(options, folder);
      await writeFile(
        path,
        `version: 0.1
log: { level: error }
storage: { filesystem: { rootdirectory: ${folder}/storage }, delete: { enabled: true } }
http: { addr: "127.0.0.1:${port}", secret: test }
${auth}
`,
      );
      return ["serve", path];
    },
  });
}

async function prepareAuth({ logins, tokens }: RegistryOptions, folder: string): Promise<string> {
  if (tokens !== undefined) {
    const { realm, service, issuer, cert } = tokens;
    await writeFile(join(folder, "tokens.pem"), cert);
    return `auth: { token: { realm: "${realm}", service: ${service}, issuer: ${issuer}, rootcertbundle: ${folder}/tokens.pem } }`;
  }
  if (logins === undefined) return "";
  await writeFile(join(folder, "htpasswd"), logins);
  return `auth: { htpasswd: { realm: test, path: ${folder}/htpasswd } }`;
}
