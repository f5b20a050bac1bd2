import type { FieldPaths, ImageFault } from "@trivium/domain";

type Remedy = (paths: FieldPaths) => string;

const imageOf = ({ image }: FieldPaths): string => image ?? "the image";
const secretsOf = ({ pullSecrets }: FieldPaths): string => pullSecrets ?? "the pull secrets";

/** One instruction for each cause. */
const remedies: Readonly<Record<Exclude<ImageFault, "unknown">, Remedy>> = {
  denied: (paths) => `add a Secret with access to the registry to ${secretsOf(paths)}`,
  missing: (paths) => `correct ${imageOf(paths)}`,
  invalid: (paths) => `correct ${imageOf(paths)}`,
  limited: (paths) =>
    `add a Secret of an account with a higher rate limit to ${secretsOf(paths)}; retrying automatically`,
  untrusted: () => "add the CA certificate of the registry to the node; retrying automatically",
  unreachable: () => "check that the node can reach the registry; retrying automatically",
  platform: (paths) => `change ${imageOf(paths)} to one for the architecture of the nodes`,
  local: () =>
    "add a rule for the image under images in trivium.yaml, or start trivium up with --containers podman or docker",
};

/** What to do about an image that is not available; `details` is where to look where the node gives no cause. */
export const remedyOfImage = (fault: ImageFault, paths: FieldPaths, details: string): string =>
  fault === "unknown" ? `check ${details}; retrying automatically` : remedies[fault](paths);
