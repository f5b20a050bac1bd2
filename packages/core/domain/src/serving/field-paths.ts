/** Where a person writes what a pod or another child is built from: the fields of a dialect's API that a remedy names. */
export type FieldPaths = Readonly<Partial<Record<Aspect, string>>>;

/** What a remedy can be about. */
export type Aspect =
  | "image"
  | "pullSecrets"
  /** Requests and limits of the container that serves. */
  | "resources"
  /** Limits of it, where they are not written beside the requests. */
  | "limits"
  | "memory"
  | "gpu"
  | "environment"
  | "arguments"
  | "port"
  | "probes"
  /** nodeSelector, affinity, tolerations. */
  | "scheduling"
  | "volumes"
  /** Size and class of the volume that holds weights. */
  | "storage"
  | "security"
  | "labels"
  | "replicas"
  | "scaling"
  | "route"
  | "serviceAccount"
  /** Where weights come from. */
  | "source"
  | "checksum"
  /** The credential for it. */
  | "token"
  // The field that names a Secret, where an API has no variables for it.
  | "tokenSecret";
