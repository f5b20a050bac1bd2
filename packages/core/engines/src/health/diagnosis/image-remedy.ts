import type { Diagnosis, FieldPaths, ImageFault } from "@trivium/domain";

/** Who asked the registry: a node that runs a pod, or the operator that reads what an image says of itself. */
export type ImageReader = "node" | "operator";

type Remedy = (paths: FieldPaths, by: ImageReader) => string;

const imageOf = ({ image }: FieldPaths): string => image ?? "the image";
const secretsOf = ({ pullSecrets }: FieldPaths): string => pullSecrets ?? "the pull secrets";

/** One instruction for each cause. */
const remedies: Readonly<Record<Exclude<ImageFault, "unknown">, Remedy>> = {
  denied: (paths) => `add a Secret with access to the registry to ${secretsOf(paths)}`,
  missing: (paths) => `correct ${imageOf(paths)}`,
  invalid: (paths) => `correct ${imageOf(paths)}`,
  limited: (paths) =>
    `add a Secret of an account with a higher rate limit to ${secretsOf(paths)}; retrying automatically`,
  untrusted: (_, by) => `add the CA certificate of the registry to the ${by}; retrying automatically`,
  unreachable: (_, by) => `check that the ${by} can reach the registry; retrying automatically`,
  platform: (paths) => `change ${imageOf(paths)} to one for the architecture of the nodes`,
  local: (paths) =>
    `correct ${imageOf(paths)}, add a rule for it under images in trivium.yaml, or start trivium up with --containers podman or docker`,
};

/** What to do about an image that is not available; `details` is where to look where the node gives no cause. */
export const remedyOfImage = (
  fault: ImageFault,
  paths: FieldPaths,
  { details, by = "node" }: { readonly details: string; readonly by?: ImageReader },
): string => (fault === "unknown" ? `check ${details}; retrying automatically` : remedies[fault](paths, by));

/** An image that the operator cannot read in its registry: the words are those of an image that a pod does not get. */
export const diagnoseImage = (
  image: string,
  { fault, message }: { readonly fault: ImageFault; readonly message: string },
  paths: FieldPaths,
): Diagnosis => ({
  subject: `Image ${image}`,
  cause: `Image ${image} is not available: ${message}`,
  remedy: remedyOfImage(fault, paths, { details: "the registry", by: "operator" }),
});
