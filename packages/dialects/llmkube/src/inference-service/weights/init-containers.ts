import type { api } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import type { LlmkubeOptions } from "../../options.ts";
import { sourceOf } from "../../weights/source.ts";

/** What is to be fetched, and where it is to be shown. */
export interface WeightsRequest {
  readonly uri: string;
  /** Files of a repository; all of them when empty. */
  readonly include: readonly string[];
  readonly folder: string;
  /** Name of the one file, where there is one. */
  readonly file?: string | undefined;
  /** Where the bytes are kept once, whoever shows them. */
  readonly store: string;
  readonly mount: api.VolumeMount;
  readonly hostMount?: api.VolumeMount;
}

/** Refused input leaves its reason where the diagnosis looks for it. */
const lastLogLine = { terminationMessagePolicy: "FallbackToLogsOnError" } as const;
const humble: api.SecurityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };

/** Network file systems ignore `fsGroup`, so the volume is made writable by somebody who may. */
export function cachePreparation(
  { images, fsGroup: usual }: LlmkubeOptions,
  { spec }: InferenceService,
  mount: api.VolumeMount,
): api.Container {
  const fsGroup = spec.podSecurityContext?.fsGroup ?? usual ?? 0;
  const script =
    fsGroup > 0
      ? `chown 0:${fsGroup} ${mount.mountPath} && chmod g+rwX ${mount.mountPath}`
      : `chown 100:100 ${mount.mountPath} && chmod 770 ${mount.mountPath}`;
  return {
    name: "model-cache-prep",
    image: images.preparation,
    command: ["sh", "-c", script],
    volumeMounts: [mount],
    securityContext: {
      runAsUser: 0,
      runAsNonRoot: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"], add: ["CHOWN", "FOWNER"] },
      seccompProfile: { type: "RuntimeDefault" },
    },
    ...lastLogLine,
  };
}

export interface FetchInput {
  readonly name: string;
  readonly options: LlmkubeOptions;
  readonly service: InferenceService;
  readonly model: Model;
  readonly request: WeightsRequest;
}

/** Fetches, checks and shows the weights. What users wrote goes into arguments, never into a script. */
export function fetchContainer({ name, options, service, model, request }: FetchInput): api.Container {
  const { sha256, refreshPolicy } = model.spec;
  const args = ["fetch", request.uri, "--to", request.folder, "--store", request.store, "--json"];
  if (request.file !== undefined) args.push("--name", request.file);
  for (const file of request.include) args.push("--include", file);
  if (sha256) args.push("--sha256", sha256.toLowerCase());
  // Of several files the digest is of the first.
  if (sha256 && request.include.length > 1) args.push("--sha256-of", request.include[0] ?? "");
  if (refreshPolicy !== "OnChange") args.push("--if-absent");
  if (request.hostMount !== undefined) args.push("--allow-root", request.hostMount.mountPath);
  const { runAsUser, runAsGroup } = service.spec.securityContext ?? {};
  const trusted = options.certificates === undefined ? [] : [certificates];
  const mounts = [
    request.mount,
    ...(request.hostMount === undefined ? [] : [request.hostMount]),
    ...trusted.map(({ mount }) => mount),
  ];
  const given = accessOf(service, model);
  const ofBucket = bucketAccessOf(model).filter(({ name }) => !given.some((one) => one.name === name));
  const env = [...given, ...ofBucket, ...trusted.map(({ variable }) => variable)];
  return {
    name,
    image: options.images.weights,
    args,
    ...(env.length === 0 ? {} : { env }),
    volumeMounts: mounts,
    securityContext: {
      ...humble,
      ...(runAsUser === undefined ? {} : { runAsUser }),
      ...(runAsGroup === undefined ? {} : { runAsGroup }),
    },
    ...lastLogLine,
  };
}

/** Certificates that downloads trust besides the usual ones. */
const certificates = {
  mount: { name: "custom-certs", mountPath: "/custom-certs", readOnly: true },
  variable: { name: "TRIVIUM_WEIGHTS_CERTIFICATES", value: "/custom-certs" },
} as const;

export const certificateVolume = ({ certificates: name }: LlmkubeOptions): api.Volume[] =>
  name === undefined ? [] : [{ name: certificates.mount.name, configMap: { name } }];

/** What the engine would use to reach the hub serves the download too. */
function accessOf({ spec }: InferenceService, model: Model): api.EnvVar[] {
  const isOfBucket = sourceOf(model.spec).is === "bucket";
  const given = (spec.env ?? []).filter(
    ({ name }) => accessVariables.test(name) || (isOfBucket && Object.hasOwn(bucketVariables, name)),
  );
  const configs = [spec.vllmConfig, spec.sglangConfig, spec.tgiConfig, spec.personaPlexConfig];
  const secret = configs.map((config) => config?.hfTokenSecretRef).find((one) => one !== undefined);
  if (secret === undefined || given.some(({ name }) => name === "HF_TOKEN")) return given;
  return [...given, { name: "HF_TOKEN", valueFrom: { secretKeyRef: secret } }];
}

/** Variables that may be missing in a Secret of a bucket: those of the credentials may not. */
const bucketVariables = {
  AWS_ACCESS_KEY_ID: {},
  AWS_SECRET_ACCESS_KEY: {},
  AWS_SESSION_TOKEN: { optional: true },
  AWS_REGION: { optional: true },
  AWS_ENDPOINT_URL: { optional: true },
} as const;

/** One by one: another entry of the Secret must not change how the download runs. */
function bucketAccessOf({ spec }: Model): api.EnvVar[] {
  const { name = "" } = spec.sourceSecretRef ?? {};
  if (name === "" || sourceOf(spec).is !== "bucket") return [];
  return Object.entries(bucketVariables).map(([key, rest]) => ({
    name: key,
    valueFrom: { secretKeyRef: { name, key, ...rest } },
  }));
}

const accessVariables = /^(HF_TOKEN|HF_ENDPOINT|(HTTPS?|NO)_PROXY|(https?|no)_proxy)$/;

/** Weights on a claim are read where they lie, and only compared. */
export function verifyContainer(request: {
  readonly options: LlmkubeOptions;
  readonly name: string;
  readonly mount: api.VolumeMount;
  readonly file: string;
  readonly sha256: string;
}): api.Container {
  return {
    name: request.name,
    image: request.options.images.weights,
    args: ["verify", request.file, "--sha256", request.sha256.toLowerCase(), "--json"],
    volumeMounts: [request.mount],
    securityContext: humble,
    ...lastLogLine,
  };
}
