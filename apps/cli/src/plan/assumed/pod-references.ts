import { type api, ConfigMap, type Kind, Secret } from "@trivium/kube";

/** A Secret or a ConfigMap that a pod cannot start without, or a key of it. */
export interface PodReference {
  readonly kind: Kind<Secret> | Kind<ConfigMap>;
  readonly name: string;
  /** Absent where all of it is needed. */
  readonly key?: string | undefined;
  /** The container that names it; every one where it is a volume. */
  readonly container?: string | undefined;
}

interface Source {
  readonly name?: string | undefined;
  readonly key?: string | undefined;
  readonly optional?: boolean | undefined;
}

/** What the containers and volumes of a pod name, without what is optional. */
export function referencesOf({ containers, initContainers = [], volumes = [] }: api.PodSpec): PodReference[] {
  return [...[...initContainers, ...containers].flatMap(ofContainer), ...volumes.flatMap(ofVolume)];
}

const ofContainer = ({ name: container, env = [], envFrom = [] }: api.Container): PodReference[] => [
  ...env.flatMap(({ valueFrom }) => [
    ...reference(Secret, valueFrom?.secretKeyRef, container),
    ...reference(ConfigMap, valueFrom?.configMapKeyRef, container),
  ]),
  ...envFrom.flatMap(({ secretRef, configMapRef }) => [
    ...reference(Secret, secretRef, container),
    ...reference(ConfigMap, configMapRef, container),
  ]),
];

const ofVolume = ({ secret, configMap, projected }: api.Volume): PodReference[] => [
  ...reference(Secret, secret === undefined ? undefined : { ...secret, name: secret.secretName }),
  ...reference(ConfigMap, configMap),
  ...(projected?.sources ?? []).flatMap((source) => [
    ...reference(Secret, source.secret),
    ...reference(ConfigMap, source.configMap),
  ]),
];

function reference(kind: PodReference["kind"], source: Source | undefined, container?: string): PodReference[] {
  const { name, key, optional } = source ?? {};
  return name === undefined || optional === true ? [] : [{ kind, name, key, container }];
}
