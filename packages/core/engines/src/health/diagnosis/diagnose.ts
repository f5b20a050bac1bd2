import type { Diagnosis, Failure, FailureKind, FieldPaths, ObservedClaim } from "@trivium/domain";
import { readMissing } from "../pods/read-missing.ts";
import { shorten } from "../shorten.ts";
import { explainScheduling, shortenScheduling } from "./describe-unschedulable.ts";
import { type CrashContext, diagnoseCrash, diagnoseMemory, place } from "./diagnose-crash.ts";
import { diagnoseMissing } from "./diagnose-missing.ts";
import { explainText } from "./diagnose-refusal.ts";
import { remedyOfImage } from "./image-remedy.ts";

/** What a dialect knows besides the failure. */
export type DiagnosisContext = CrashContext;

type Row = (failure: Failure, context: DiagnosisContext) => Omit<Diagnosis, "subject">;

/** One table for all dialects: from what is seen of a failure to its cause and its remedy. */
const table: Readonly<Record<FailureKind, Row>> = {
  unschedulable: ({ pod, message, nodes, shortages }, { paths }) => {
    const { cause, remedy, aspect } = explainScheduling(message, { shortages, nodes });
    const field = aspect === undefined ? undefined : paths[aspect];
    return {
      cause: `Pod ${pod} cannot be scheduled: ${cause}`,
      remedy: field === undefined ? remedy : `${remedy} (${field})`,
    };
  },
  volume: ofVolume,
  image: ofImage,
  configuration: ofConfiguration,
  engine: (failure, { paths }) => ({
    cause: `${place(failure)} cannot start: ${failure.message}`,
    remedy: `install the build on this machine, or remove the GPU from ${paths.resources ?? "the resources"}`,
  }),
  crash: diagnoseCrash,
  memory: diagnoseMemory,
  unhealthy: ofProbe,
  evicted: ({ pod, message }, { paths }) => ({
    cause: `Pod ${pod} was evicted: ${shorten(message.replace(/^Evicted: /, ""))}`,
    remedy: `free the resource on the node, or request enough of it in ${paths.resources ?? "the resources"}`,
  }),
  refused: ({ message }, { paths }) => {
    const reported = explainText(message, paths);
    return reported === undefined
      ? { cause: `Pods cannot be created: ${shorten(message)}`, remedy: "correct the rejected part of the spec" }
      : { ...reported, cause: `Pods cannot be created: ${reported.cause}` };
  },
};

/** The cause, the object at fault, and what to do about it. */
export function diagnose(failure: Failure, context: DiagnosisContext): Diagnosis {
  if (failure.known !== undefined) return failure.known;
  const { cause, remedy } = table[failure.kind](failure, context);
  return { subject: subjectOf(failure), cause: shorten(cause), remedy };
}

const subjectOf = ({ pod, container }: Failure): string =>
  container === undefined ? `Pod ${pod}` : `container ${container} of Pod ${pod}`;

function ofImage(failure: Failure, { paths }: DiagnosisContext): Omit<Diagnosis, "subject"> {
  const { pod, image = "unknown", message } = failure;
  return {
    cause: `Image of ${subjectOf(failure)} is not available: ${message}`,
    remedy: remedyOfImage(image, paths, { details: `the events of the pod with kubectl describe pod ${pod}` }),
  };
}

function ofConfiguration(failure: Failure, { paths }: DiagnosisContext): Omit<Diagnosis, "subject"> {
  const { message } = failure;
  const missing = readMissing(message);
  const environment = paths.environment ?? "its environment";
  if (missing !== undefined) {
    const { kind, name, key } = missing;
    return key === undefined
      ? diagnoseMissing({ kind, names: [name], stops: place(failure), instead: `correct ${environment}` })
      : {
          cause: `${place(failure)} cannot start: ${kind} ${name} has no key ${key}`,
          remedy: `add key ${key} to ${kind} ${name}, or correct ${environment}`,
        };
  }
  const isProgram = /executable file not found|no such file or directory|permission denied/i.test(message);
  return {
    cause: `${place(failure)} cannot start: ${message}`,
    remedy: isProgram
      ? `correct the command in ${paths.arguments ?? "its arguments"}, or ${paths.image ?? "the image"}`
      : "correct the setting in the message",
  };
}

function ofVolume({ pod, message, claims = [] }: Failure, { paths }: DiagnosisContext): Omit<Diagnosis, "subject"> {
  const known = claims.flatMap((claim) => ofClaim(claim, paths) ?? [])[0];
  if (known !== undefined) return known;
  const missing = readMissing(message);
  const volumes = paths.volumes ?? "its volumes";
  if (missing !== undefined)
    return {
      cause: `Pod ${pod} cannot start: ${missing.kind} ${missing.name} of its volumes not found`,
      remedy: `create it, or correct ${volumes}`,
    };
  const names = claims.map(({ name }) => name).join(", ");
  const [reported, claim] = [shortenScheduling(message), names === "" ? "" : ` (PersistentVolumeClaim ${names})`];
  return {
    cause: `Pod ${pod} is waiting for a volume${claim}: ${reported}`,
    remedy: `check the PersistentVolumeClaim with kubectl describe pvc, or correct ${paths.storage ?? volumes}`,
  };
}

/** Why one claim has no volume, and what to do; nothing where that is not known. */
export function diagnoseClaim(claim: ObservedClaim, paths: FieldPaths): Diagnosis | undefined {
  const found = ofClaim(claim, paths);
  return found === undefined
    ? undefined
    : { subject: `PersistentVolumeClaim ${claim.name}`, cause: shorten(found.cause), remedy: found.remedy };
}

function ofClaim(
  { name, storageClass, fault, warning }: ObservedClaim,
  paths: FieldPaths,
): Omit<Diagnosis, "subject"> | undefined {
  const storage = paths.storage ?? "the claim";
  const head = `PersistentVolumeClaim ${name} has no volume`;
  switch (fault) {
    case "no claim":
      return {
        cause: `PersistentVolumeClaim ${name} not found`,
        remedy: `create it, or correct ${paths.volumes ?? paths.storage ?? "the volume that refers to it"}`,
      };
    case "no class":
      return {
        cause: `${head}: StorageClass ${storageClass} not found`,
        remedy: `create the StorageClass, or set another one in ${storage}`,
      };
    case "no default class":
      return {
        cause: `${head}: no StorageClass is set, and the cluster has no default StorageClass`,
        remedy: `set one in ${storage}, or mark a StorageClass as default`,
      };
    default:
      if (warning?.is !== "known" || warning.value.reason !== "ProvisioningFailed") return undefined;
      return {
        cause: `${head}: ${warning.value.message}`,
        remedy: `check the provisioner of its StorageClass, or correct ${storage}`,
      };
  }
}

function ofProbe(failure: Failure, { paths }: DiagnosisContext): Omit<Diagnosis, "subject"> {
  const { container, pod, message, probe, isPassing, isOverdue } = failure;
  const kind = probe?.probe ?? "Readiness";
  const at = probe?.at === undefined ? "" : ` at ${probe.at}`;
  const to = probe?.at === undefined ? "" : ` to ${probe.at}`;
  const who = `${kind} probe of container ${container} of Pod ${pod}`;
  const probes = paths.probes ?? "the probe";
  const restarts = kind === "Readiness" || isPassing || isOverdue ? "" : ", so the container is restarted repeatedly";
  const since = isOverdue ? " for more than 10m" : "";
  const declared = probe?.declared === undefined ? "" : ` (the container declares port ${probe.declared.join(", ")})`;
  switch (probe?.is) {
    case "loading":
      return {
        cause: `${who} received status 503${at}, which means that the model is still loading${restarts}`,
        remedy: `raise failureThreshold or periodSeconds of ${probes}, so that the model has time to load`,
      };
    case "answer":
      return {
        cause: `${who} received status ${probe.code}${at}${restarts}`,
        remedy:
          paths.probes === undefined
            ? `check the server, or change ${paths.image ?? "its image"}`
            : `correct the path and port of ${probes}, or check the server`,
      };
    case "closed":
      return {
        cause: `${who} cannot connect${to}${since}${declared}${restarts}`,
        remedy: `${isPassing ? "wait until the server has started, or " : ""}${
          paths.port === undefined
            ? `change ${paths.image ?? "its image"} if the server does not listen on that port`
            : `correct the port in ${paths.port} if the server listens on another port`
        }${isOverdue ? `, or wait if its log shows that it is still loading the model (kubectl logs ${pod} -c ${container})` : ""}`,
      };
    case "slow":
      return {
        cause: `${who} timed out${at}${since}${restarts}`,
        remedy: `raise the timeout of ${probes}, or give the container more CPU in ${paths.resources ?? "its resources"}`,
      };
    default:
      return { cause: `${who} failed${at}${since}: ${message}${restarts}`, remedy: `correct ${probes}` };
  }
}
