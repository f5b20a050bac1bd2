import type { api } from "@trivium/kube";

/** The container with more variables: first, so that others can refer to them; what the user defines is kept. */
export function withEnv(container: api.Container, values: readonly api.EnvVar[]): api.Container {
  const env = container.env ?? [];
  const added = values.filter(({ name }) => !env.some((one) => one.name === name));
  return added.length === 0 ? container : { ...container, env: [...added, ...env] };
}
