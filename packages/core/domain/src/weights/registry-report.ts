import type { Instant } from "@trivium/std";

/** A place in a container registry, and who asks. */
export interface RegistryPlace {
  /** Host and port as people write it: `docker.io`, `ghcr.io`, `localhost:5000`. */
  readonly registry: string;
  readonly repository: string;
  readonly logins: RegistrySecrets;
}

export interface ImagePlace extends RegistryPlace {
  /** A tag or a digest. */
  readonly reference: string;
  /** `os/architecture` */
  readonly platform: string;
}

/** Repositories whose names start like this. */
export interface RepositoriesPlace extends Omit<RegistryPlace, "repository"> {
  readonly prefix: string;
}

/** Secrets with logins, by name: whoever asks sees only which there are, and a version, so that a change is a new question. */
export interface RegistrySecrets {
  readonly namespace: string;
  readonly secrets: readonly { readonly name: string; readonly version: string }[];
}

/** A registry that answered, and did not give what was asked for. That it does not answer at all is no report. */
export interface RegistryRefusal {
  readonly is: "refused";
  readonly reason: RegistryFault;
  readonly why: string;
}

export type RegistryFault =
  /** It wants a login, or another one. */
  | "unauthorized"
  | "not-found"
  /** There, but not for the platform that was asked for. */
  | "other-platform"
  /** What came makes no sense, or is too much. */
  | "unreadable"
  /** Whoever runs this does not allow the address. */
  | "address-not-allowed"
  /** The registry has no such list. */
  | "unsupported";

/** What an image says of itself, without its layers. */
export interface ImageReport {
  readonly is: "image";
  /** Of the manifest that the tag leads to: another digest, another image. */
  readonly digest: string;
  readonly platform: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface TagReport {
  readonly is: "tags";
  readonly tags: readonly string[];
  readonly at: Instant;
}

export interface RepositoryReport {
  readonly is: "repositories";
  readonly repositories: readonly string[];
  readonly at: Instant;
}
