import { k8s } from "@trivium/kube";
import { as, listMap, obj, type SchemaOf, type Static, str } from "@trivium/schema";

/** Settings of the pods that a resource leads to; many kinds carry them. */
export type EnvVars = Static<typeof k8s.EnvVar>[];

/** The list is told apart by name, so an entry without one is refused instead of kept as an empty reference. */
const secretReference = obj("A Secret", { name: str("Name of the Secret") });
export type SecretReferences = Static<typeof secretReference>[];
export type Resources = Static<typeof k8s.ResourceRequirements>;

export const env = (description: string): SchemaOf<EnvVars> => listMap(description, ["name"], k8s.EnvVar);
export const imagePullSecrets = (description: string): SchemaOf<SecretReferences> =>
  listMap(description, ["name"], secretReference);
export const resources = (description: string): SchemaOf<Resources> => as(k8s.ResourceRequirements, description);
export const serviceAccountName = (description: string): SchemaOf<string> => str(description);
export const runtimeConfigName = (): SchemaOf<string> =>
  str(
    "Name of the AIMRuntimeConfig or AIMClusterRuntimeConfig to use. If both exist, they are merged and the namespaced one takes precedence",
    { default: "default" },
  );
