import type { api } from "@trivium/kube";
import { once } from "@trivium/std";
import type { StorageUri } from "../../storage/uri.ts";
import { type BenchmarkJob, type Faulty, faulty, readPlace } from "./check-spec.ts";

/** Where results go, as arguments of the tool and as parts of its pod. */
export interface OutputPlan {
  readonly args: readonly string[];
  readonly env: readonly api.EnvVar[];
  readonly envFrom: readonly api.EnvFromSource[];
  readonly volumes: readonly api.Volume[];
  readonly mounts: readonly api.VolumeMount[];
  /** The claim that must be there. */
  readonly claim?: string;
  /** What people know the place by. */
  readonly location: string;
  /** Credentials that stand in the object for everybody to read. */
  readonly plainCredentials: readonly string[];
}

export type PlannedOutput = ({ readonly is: "planned" } & OutputPlan) | Faulty;

type Parameters = Readonly<Record<string, string>>;

/** Observing, deciding and the events depend on it, so a pass evaluates it once. */
export const planOutput: (job: BenchmarkJob) => PlannedOutput = once(evaluateOutput);

function evaluateOutput({ metadata, spec }: BenchmarkJob): PlannedOutput {
  const { storageUri, parameters = {}, key } = spec.outputLocation;
  const read = readPlace("spec.outputLocation", storageUri);
  if (read.is === "faulty") return read;
  const { uri } = read;
  const args = argumentsOf(uri, parameters);
  if (args === undefined) {
    const detail = `results cannot be stored in ${uri.scheme}://; use pvc, oci, s3, az, gs or github`;
    return faulty("spec.outputLocation.storageUri", detail);
  }
  const secrets = secretsOf(parameters);
  const shared = {
    env: secrets.map(({ variable, value }) => ({ name: variable, value })),
    envFrom: key ? [{ secretRef: { name: key } }] : [],
    location: storageUri,
    plainCredentials: secrets.map(({ parameter }) => parameter),
  };
  if (uri.scheme !== "pvc") return { is: "planned", args, ...shared, volumes: [], mounts: [] };
  if (uri.namespace !== undefined && uri.namespace !== metadata.namespace) {
    const detail = `the claim must be in namespace ${metadata.namespace} of the BenchmarkJob`;
    return faulty("spec.outputLocation.storageUri", detail);
  }
  const name = "benchmark-output-storage";
  return {
    is: "planned",
    args,
    ...shared,
    volumes: [{ name, persistentVolumeClaim: { claimName: uri.claim } }],
    mounts: [{ name, mountPath: `/${uri.path}`, subPath: uri.path }],
    claim: uri.claim,
  };
}

const upload = (provider: string, bucket: string, prefix: string): string[] => [
  ...["--upload-results", "--storage-provider", provider, "--storage-bucket", bucket],
  ...(prefix === "" ? [] : ["--storage-prefix", prefix]),
];

function argumentsOf(uri: StorageUri, given: Parameters): string[] | undefined {
  const flag = (name: string, value: string | undefined): string[] => (value ? [name, value] : []);
  switch (uri.scheme) {
    case "pvc":
      return ["--experiment-base-dir", `/${uri.path}`];
    case "oci":
      return [
        ...["--upload-results", "--namespace", uri.namespace, "--storage-bucket", uri.bucket],
        ...["--storage-prefix", uri.prefix],
        ...flag("--auth", given.auth),
        ...flag("--config-file", given.config_file),
        ...flag("--profile", given.profile),
        ...flag("--security-token", given.security_token && "$(OCI_SECURITY_TOKEN)"),
        ...flag("--region", given.region),
      ];
    case "s3":
      return [
        ...upload("aws", uri.bucket, uri.prefix),
        ...flag("--storage-aws-profile", given.aws_profile),
        ...flag("--storage-aws-region", given.aws_region ?? uri.region),
      ];
    case "az":
      return [
        ...upload("azure", uri.container, uri.path),
        ...flag("--storage-azure-account-name", given.azure_account_name ?? uri.account),
      ];
    case "gs":
      return [
        ...upload("gcp", uri.bucket, uri.path),
        ...flag("--storage-gcp-project-id", given.gcp_project_id),
        ...flag("--storage-gcp-credentials-path", given.gcp_credentials_path),
      ];
    case "github":
      return [
        ...["--upload-results", "--storage-provider", "github"],
        ...["--github-owner", uri.owner, "--github-repo", uri.repository],
        ...(uri.tag === "latest" ? [] : ["--github-tag", uri.tag]),
      ];
    default:
      return undefined;
  }
}

/** Parameters that are secrets, and the variables by which the tool takes them: an argument would be everybody's. */
const secretVariables: Readonly<Record<string, string>> = {
  aws_access_key_id: "AWS_ACCESS_KEY_ID",
  aws_secret_access_key: "AWS_SECRET_ACCESS_KEY",
  azure_account_key: "AZURE_STORAGE_ACCOUNT_KEY",
  azure_connection_string: "AZURE_STORAGE_CONNECTION_STRING",
  azure_sas_token: "AZURE_STORAGE_SAS_TOKEN",
  github_token: "GITHUB_TOKEN",
  security_token: "OCI_SECURITY_TOKEN",
};

function secretsOf(given: Parameters): { parameter: string; variable: string; value: string }[] {
  return Object.entries(secretVariables).flatMap(([parameter, variable]) => {
    const value = given[parameter];
    return value ? [{ parameter, variable, value }] : [];
  });
}
