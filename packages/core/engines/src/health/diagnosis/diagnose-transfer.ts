import type { Diagnosis, FieldPaths } from "@trivium/domain";
import type { TransferFault } from "./classify-transfer.ts";

/** What is known of weights besides how their download ended. */
export interface TransferContext {
  readonly paths: FieldPaths;
  /** They come from a hub, which does not tell a private repository from a missing one. */
  readonly isHub?: boolean | undefined;
  /** The claim that they go to. */
  readonly claim?: { readonly name: string; readonly size?: string | undefined } | undefined;
  /** The dialect limits its attempts and reports them, so the remedy promises none. */
  readonly countsAttempts?: true | undefined;
}

type Remedy = (context: TransferContext) => string;

/** What to do about each way in which a download fails. */
const remedies: Readonly<Record<TransferFault, Remedy>> = {
  missing: ({ paths, isHub }) =>
    isHub === true
      ? `correct ${sourceOf(paths)}; for a private repository, ${withToken(paths)}`
      : `correct ${sourceOf(paths)}`,
  unauthorized: ({ paths }) => withToken(paths),
  corrupt: ({ paths }) =>
    paths.checksum === undefined ? `correct ${sourceOf(paths)}` : `correct ${paths.checksum}, or ${sourceOf(paths)}`,
  full: moreSpace,
  unreachable: ({ countsAttempts }) =>
    `check that the nodes can reach the source${countsAttempts === true ? "" : "; retrying automatically"}`,
  untrusted: () => "make its certificate authority available to the pods",
  stopped: ({ countsAttempts }) =>
    countsAttempts === true ? "wait until it is restarted" : "wait; it is restarted automatically",
  failed: () => "check its log with kubectl logs",
};

/** Why a download failed: `cause` is what the program reports, the remedy follows from the kind of failure. */
export const diagnoseTransfer = (
  fault: TransferFault,
  { subject, cause }: Pick<Diagnosis, "subject" | "cause">,
  context: TransferContext,
): Diagnosis => ({ subject, cause, remedy: remedies[fault](context) });

const sourceOf = ({ source }: FieldPaths): string => source ?? "the source";

const withToken = ({ token, tokenSecret }: FieldPaths): string =>
  tokenSecret === undefined
    ? `set ${token ?? "its credentials"} from a Secret with a token that can read it`
    : `set ${tokenSecret} to a Secret with a token that can read it`;

function moreSpace({ paths, claim }: TransferContext): string {
  const storage = paths.storage === undefined ? "" : `, or change ${paths.storage}`;
  if (claim === undefined) return `free space on the node${storage}`;
  const size = claim.size === undefined ? "" : ` of ${claim.size}`;
  return `free space on PersistentVolumeClaim ${claim.name}${size}, expand it${storage}`;
}
