import type { Diagnosis, Failure, FieldPaths } from "@trivium/domain";
import { classifyCrash } from "./classify-crash.ts";
import { diagnoseTransfer, type TransferContext } from "./diagnose-transfer.ts";

/** What is known besides how a container exited. */
export interface CrashContext extends TransferContext {
  /** The node of the pod, and the driver that it reports. */
  readonly node?: { readonly name: string; readonly driver?: string | undefined } | undefined;
}

/** The container, else the pod, at the start of a sentence. */
export const place = ({ pod, container }: Failure): string =>
  container === undefined ? `Pod ${pod}` : `Container ${container} of Pod ${pod}`;

/** Why a container exited, and what to do. */
export function diagnoseCrash(failure: Failure, context: CrashContext): Omit<Diagnosis, "subject"> {
  const { paths } = context;
  const found = classifyCrash(failure);
  switch (found.is) {
    case "transfer":
      return diagnoseTransfer(found.fault, { subject: "", cause: transferCause(failure) }, context);
    case "driver":
      return {
        cause: driverCause(failure, found.at, context),
        remedy: `update the driver of the node, or set ${paths.image ?? "the image"} to a build for an older driver`,
      };
    case "unsupported model":
      return {
        cause: withLog(failure, `${place(failure)} cannot load the model`),
        remedy: `set ${paths.image ?? "the image"} to a newer build of the engine, or use another model`,
      };
    case "argument":
      return { cause: withLog(failure, crashed(failure)), remedy: `correct its arguments${inField(paths.arguments)}` };
    case "other":
      return { cause: withLog(failure, crashed(failure)), remedy: `${readLog(failure)}${correctionIn(paths)}` };
  }
}

const readLog = ({ pod, container }: Failure): string =>
  `check its log with kubectl logs ${pod} -c ${container} --previous`;

/** Where a user can change what the container does; nothing for containers that users do not configure. */
const correctionIn = ({ arguments: args, environment }: FieldPaths): string =>
  args === undefined ? "" : `, then correct its arguments in ${args}, or its environment${inField(environment)}`;

const inField = (field: string | undefined): string => (field === undefined ? "" : ` in ${field}`);

function transferCause({ container, exitCode, lastLogLine = "" }: Failure): string {
  const message = `Container ${container} exited with code ${exitCode}`;
  return lastLogLine === "" ? message : `${message}: ${lastLogLine.replace(/[.\s]+$/, "")}`;
}

/** The part of the last log line around the complaint, and what the node reports of its driver. */
function driverCause({ container, exitCode, lastLogLine = "" }: Failure, at: number, { node }: CrashContext): string {
  const driver = node?.driver === undefined ? "" : ` (${node.driver})`;
  const where = node === undefined ? "" : ` on node ${node.name}${driver}`;
  const line = lastLogLine.slice(Math.max(0, at - 60), at + 140).trim();
  return `Container ${container} exited with code ${exitCode}${where}: ${line.toWellFormed()}`;
}

function crashed(failure: Failure): string {
  const { exitCode, restarts = 0, isPassing } = failure;
  if (isPassing)
    return `${place(failure)} exited with code ${exitCode}; restarting${restarts === 0 ? "" : ` (${restarts} ${restarts === 1 ? "restart" : "restarts"})`}`;
  return restarts > 0
    ? `${place(failure)} keeps crashing (exit code ${exitCode})`
    : `${place(failure)} exited with code ${exitCode}`;
}

/** Why a container was killed for its memory, and what to do. */
export const diagnoseMemory = (failure: Failure, { paths }: CrashContext): Omit<Diagnosis, "subject"> => ({
  cause: withLog(failure, outOfMemory(failure)),
  remedy: moreMemory(failure, paths),
});

function moreMemory({ memoryLimit, memoryRequest }: Failure, { memory }: FieldPaths): string {
  const isStated = memoryLimit !== undefined || memoryRequest !== undefined;
  if (memory !== undefined) return `${isStated ? "raise" : "set"} ${memory}`;
  return isStated ? "raise its memory limit" : "free memory on the node, or add a node with more memory";
}

function outOfMemory(failure: Failure): string {
  const { restarts = 0, memoryLimit } = failure;
  const often = restarts > 1 ? " repeatedly" : "";
  return memoryLimit === undefined
    ? `${place(failure)} was killed${often} because the node ran out of memory (OOMKilled); it has no memory limit`
    : `${place(failure)} was killed${often} for using more memory than its limit of ${memoryLimit} (OOMKilled)`;
}

const withLog = ({ lastLogLine }: Failure, sentence: string): string =>
  lastLogLine === undefined ? sentence : `${sentence}. Last log line: ${lastLogLine.replace(/[.\s]+$/, "")}`;
