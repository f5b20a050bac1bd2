import type { api } from "@trivium/kube";
import { duplicate, type FieldError, forbidden, invalid, required } from "@trivium/schema";
import { between, dnsLabel, invalidFor, oneOf, requiredText } from "../checks/values.ts";
import { checkClaimSpec } from "../core/storage/check-claim-spec.ts";
import { checkFieldRef, checkResourceRef, fileFields } from "./check-env.ts";

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];
const fileMode = "must be a number between 0 and 0777 (octal), both inclusive";

/** Faults of a pod's volumes, and the volumes that containers may mount: those without any. */
export function checkVolumes(
  at: string,
  volumes: readonly api.Volume[] = [],
): { faults: FieldError[]; usable: Map<string, api.Volume> } {
  const usable = new Map<string, api.Volume>();
  const faults = volumes.flatMap((volume, index) => {
    const here = `${at}[${index}]`;
    const own = [
      ...checkSource(here, volume),
      ...(volume.name ? dnsLabel(`${here}.name`, volume.name) : [required(`${here}.name`)]),
      ...(usable.has(volume.name) ? [duplicate(`${here}.name`, volume.name)] : []),
    ];
    if (own.length === 0) usable.set(volume.name, volume);
    return own;
  });
  return { faults, usable };
}

function checkSource(at: string, volume: api.Volume): FieldError[] {
  const [first, ...more] = Object.keys(volume).filter((key) => key !== "name");
  if (first === undefined) return [required(at, "must specify a volume type")];
  return [
    ...(checks[first as keyof api.Volume]?.(`${at}.${first}`, volume) ?? []),
    ...more.map((key) => forbidden(`${at}.${key}`, "may not specify more than 1 volume type")),
  ];
}

/** One check for each kind of volume that is more than a few free texts. */
const checks: Partial<Record<keyof api.Volume, (at: string, volume: api.Volume) => FieldError[]>> = {
  emptyDir: (at, { emptyDir }) => {
    const limit = emptyDir?.sizeLimit;
    return limit !== undefined && String(limit).startsWith("-")
      ? [forbidden(`${at}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
      : [];
  },
  hostPath: (at, { hostPath }) => checkHostPath(at, hostPath as api.HostPathVolumeSource),
  secret: (at, { secret }) => [
    ...requiredText(`${at}.secretName`, secret?.secretName),
    ...checkMode(`${at}.defaultMode`, secret?.defaultMode),
    ...checkItems(`${at}.items`, secret?.items),
  ],
  configMap: (at, { configMap }) => [
    ...requiredText(`${at}.name`, configMap?.name),
    ...checkMode(`${at}.defaultMode`, configMap?.defaultMode),
    ...checkItems(`${at}.items`, configMap?.items),
  ],
  downwardAPI: (at, { downwardAPI }) => [
    ...checkMode(`${at}.defaultMode`, downwardAPI?.defaultMode),
    ...(downwardAPI?.items ?? []).flatMap((file) => checkPodFile(at, file)),
  ],
  projected: (at, { projected }) => checkProjected(at, projected as api.ProjectedVolumeSource),
  persistentVolumeClaim: (at, { persistentVolumeClaim }) =>
    requiredText(`${at}.claimName`, persistentVolumeClaim?.claimName),
  nfs: (at, { nfs }) => [
    ...requiredText(`${at}.server`, nfs?.server),
    ...(nfs?.path ? absolutePath(`${at}.path`, nfs.path) : [required(`${at}.path`)]),
  ],
  ephemeral: (at, { ephemeral }) => {
    const template = ephemeral?.volumeClaimTemplate;
    if (template === undefined) return [required(`${at}.volumeClaimTemplate`)];
    return checkClaimSpec(`${at}.volumeClaimTemplate.spec`, template.spec);
  },
  csi: (at, { csi }) => requiredText(`${at}.driver`, csi?.driver),
  image: (at, { image }) => [
    ...requiredText(`${at}.reference`, image?.reference),
    ...oneOf(`${at}.pullPolicy`, image?.pullPolicy, ["Always", "IfNotPresent", "Never"]),
  ],
};

const absolutePath = (at: string, path: string): FieldError[] =>
  path.startsWith("/") ? [] : [invalid(at, path, "must be an absolute path")];

export function checkHostPath(at: string, { path, type }: api.HostPathVolumeSource): FieldError[] {
  if (!path) return [required(`${at}.path`)];
  return [...noBacksteps(`${at}.path`, path), ...oneOf(`${at}.type`, type, hostPathTypes)];
}

const noBacksteps = (at: string, path: string): FieldError[] =>
  path.split("/").includes("..") ? [invalid(at, path, "must not contain '..'")] : [];

const checkMode = (at: string, mode: number | undefined): FieldError[] =>
  between(at, mode, [0, 0o777]).map((fault) => ({ ...fault, detail: fileMode }));

function checkItems(at: string, items: readonly api.KeyToPath[] = []): FieldError[] {
  return items.flatMap(({ key, path, mode }, index) => [
    ...requiredText(`${at}[${index}].key`, key),
    ...requiredText(`${at}[${index}].path`, path),
    ...relativePath(`${at}[${index}].path`, path),
    ...checkMode(`${at}[${index}].mode`, mode),
  ]);
}

export function relativePath(at: string, path: string): FieldError[] {
  return [
    ...invalidFor(at, path, path.startsWith("/") ? ["must be a relative path"] : []),
    ...noBacksteps(at, path),
    ...invalidFor(at, path, /^\.\.[^/]/.test(path) ? ["must not start with '..'"] : []),
  ];
}

function checkPodFile(at: string, file: api.DownwardAPIVolumeFile): FieldError[] {
  const { path, fieldRef, resourceFieldRef, mode } = file;
  return [
    ...requiredText(`${at}.path`, path),
    ...relativePath(`${at}.path`, path),
    ...checkPodFileSource(at, fieldRef, resourceFieldRef),
    ...checkMode(`${at}.mode`, mode),
  ];
}

function checkPodFileSource(
  at: string,
  field: api.ObjectFieldSelector | undefined,
  resource: api.ResourceFieldSelector | undefined,
): FieldError[] {
  if (field && resource)
    return [invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")];
  if (field) return checkFieldRef(`${at}.fieldRef`, field, fileFields);
  if (!resource) return [required(at, "one of fieldRef and resourceFieldRef is required")];
  if (!resource.containerName) return [required(`${at}.resourceFieldRef.containerName`)];
  return checkResourceRef(`${at}.resourceFieldRef`, resource);
}

function checkProjected(at: string, { defaultMode, sources }: api.ProjectedVolumeSource): FieldError[] {
  return [
    ...checkMode(`${at}.defaultMode`, defaultMode),
    ...(sources ?? []).flatMap((source, index) => checkProjection(`${at}.sources[${index}]`, source)),
  ];
}

function checkProjection(at: string, source: api.VolumeProjection): FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  const faults = [
    ...(secret
      ? [...requiredText(`${at}.secret.name`, secret.name), ...checkItems(`${at}.secret.items`, secret.items)]
      : []),
    ...(configMap
      ? [
          ...requiredText(`${at}.configMap.name`, configMap.name),
          ...checkItems(`${at}.configMap.items`, configMap.items),
        ]
      : []),
    ...(downwardAPI?.items ?? []).flatMap((file) => checkPodFile(`${at}.downwardAPI`, file)),
    ...(serviceAccountToken ? checkToken(`${at}.serviceAccountToken`, serviceAccountToken) : []),
  ];
  const [, ...more] = Object.keys(source);
  return [...faults, ...more.map((key) => forbidden(`${at}.${key}`, "may not specify more than 1 volume type"))];
}

/** A missing path is reported on the projected volume itself. */
function checkToken(at: string, { expirationSeconds, path }: api.ServiceAccountTokenProjection): FieldError[] {
  const lasts = expirationSeconds ?? 3600;
  const short = "may not specify a duration less than 10 minutes";
  const volume = at.slice(0, at.indexOf(".sources["));
  return [
    ...(lasts < 600 ? [invalid(`${at}.expirationSeconds`, lasts, short)] : []),
    ...requiredText(`${volume}.path`, path),
    ...relativePath(`${volume}.path`, path),
  ];
}
