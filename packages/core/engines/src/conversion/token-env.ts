import type { PortableService } from "@trivium/domain";
import type { api } from "@trivium/kube";

type Token = NonNullable<PortableService["token"]>;

const tokenName = "HF_TOKEN";

/** Variables with the token of the hub apart, where it comes from a Secret: APIs name it in different places. */
export function splitToken(env: readonly api.EnvVar[]): {
  readonly token?: Token;
  readonly env: readonly api.EnvVar[];
} {
  const found = env.find(({ name, valueFrom }) => name === tokenName && valueFrom?.secretKeyRef?.name !== undefined);
  const reference = found?.valueFrom?.secretKeyRef;
  if (reference?.name === undefined || reference.optional === true) return { env };
  return { token: { name: reference.name, key: reference.key }, env: env.filter((one) => one !== found) };
}

export const tokenVariable = ({ name, key }: Token): api.EnvVar => ({
  name: tokenName,
  valueFrom: { secretKeyRef: { name, key } },
});
