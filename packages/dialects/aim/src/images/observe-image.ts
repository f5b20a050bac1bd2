import { type ImageReport, imageConfig, type RegistryRefusal } from "@trivium/domain";
import { Secret, ServiceAccount } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, type ImageReference, wantedOf } from "@trivium/std";
import type { SecretReferences } from "../kinds/pod-fields.ts";

/** A Secret as a decision may know it: whether it is there, and when it is another one. */
export type ObservedSecret =
  | { readonly name: string; readonly is: "there"; readonly version: string }
  | { readonly name: string; readonly is: "missing" | "unknown" };

export const imageReads = [Secret, ServiceAccount] as const;
type ImageReader = Reader<(typeof imageReads)[number]>;

export function observeSecrets(reader: ImageReader, namespace: string, secrets: SecretReferences): ObservedSecret[] {
  return secrets.map(({ name }) => {
    const found = reader.get(Secret, { namespace, name });
    if (found.is === "known") return { name, is: "there", version: found.value.metadata.resourceVersion ?? "" };
    return { name, is: found.is === "absent" ? "missing" : "unknown" };
  });
}

/** The Secrets that pods of an account get by themselves. */
export function secretsOfAccount(
  reader: ImageReader,
  namespace: string,
  account: string | undefined,
): SecretReferences {
  const found = reader.get(ServiceAccount, { namespace, name: account || "default" });
  if (found.is !== "known") return [];
  return (found.value.imagePullSecrets ?? []).flatMap(({ name }) => (name ? [{ name }] : []));
}

interface ImageLogin {
  readonly namespace: string;
  readonly secrets: readonly ObservedSecret[];
  readonly platform: string;
}

/** Asks the registry what an image is. */
export function observeImage(
  reader: ImageReader,
  image: ImageReference,
  { namespace, secrets, platform }: ImageLogin,
): Fact<ImageReport | RegistryRefusal> {
  const { registry, repository } = image;
  const present = secrets.flatMap((one) => (one.is === "there" ? [{ name: one.name, version: one.version }] : []));
  const logins = { namespace, secrets: present };
  return reader.ask(imageConfig, { registry, repository, reference: wantedOf(image), platform, logins });
}
