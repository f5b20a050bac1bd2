import type { Aspect, Diagnosis, FieldPaths } from "@trivium/domain";
import type { Refusal, RefusalCause } from "@trivium/reconcile";
import { type RefusalText, readRefusal } from "../pods/read-refusal.ts";
import { shorten } from "../shorten.ts";

/** Which part of a spec a field of a child is built from; the first that matches. */
const aspects: readonly (readonly [RegExp, Aspect])[] = [
  [/probe/i, "probes"],
  [/imagePullSecrets/, "pullSecrets"],
  [/volumeMounts|volumes|volumeDevices/, "volumes"],
  [/^spec\.(?:resources\.requests|storageClassName|accessModes|volumeClaimTemplates)/, "storage"],
  [/\.resources\b/, "resources"],
  [/\.env\b|\.env\[|envFrom/, "environment"],
  [/\.ports?\b|\.ports\[/, "port"],
  [/\.image\b/, "image"],
  [/\.args\b|\.args\[|\.command\b/, "arguments"],
  [/securityContext|hostNetwork|hostPID|hostIPC/, "security"],
  [/nodeSelector|tolerations|affinity|topologySpread|schedulerName|runtimeClassName|priorityClass/i, "scheduling"],
  [/serviceAccount/, "serviceAccount"],
  [/parentRefs|hostnames|\.rules\b|^spec\.rules|\.http\b/, "route"],
  [/minReplicas|maxReplicas|metrics|triggers|scaleTargetRef|behavior/, "scaling"],
  [/\.replicas\b/, "replicas"],
  [/labels|annotations|matchLabels/, "labels"],
];

/** What the API server objects to, and what a person changes so that it does not. */
export function diagnoseRefusal(refusal: Refusal, paths: FieldPaths): Diagnosis {
  const subject = `${refusal.child.kind} ${refusal.child.name}`;
  const { cause, remedy } = explain(refusal, subject, paths);
  return { subject, cause: shorten(cause), remedy };
}

function explain(refusal: Refusal, subject: string, paths: FieldPaths): Omit<Diagnosis, "subject"> {
  if (refusal.reason === "NameTaken")
    return {
      cause: `${subject} already exists and ${refusal.message}`,
      remedy: `delete or rename that ${refusal.child.kind}, or choose another metadata.name`,
    };
  // Another operator writes it again each time that this one has.
  if (refusal.reason === "Contested")
    return { cause: `${subject} ${refusal.message}`, remedy: "stop one of the two operators" };
  if (refusal.podSecurity !== undefined) return explainLevel(refusal, refusal.podSecurity, subject, paths);
  const reported = explainText(refusal.message, paths);
  if (reported !== undefined)
    return { ...reported, cause: `${subject} cannot be created or updated: ${reported.cause}` };
  const causes = refusal.causes.filter(({ message }) => message !== "");
  if (causes.length === 0)
    return {
      cause: `The API server rejects ${subject}: ${withoutHead(refusal.message)}`,
      remedy: "correct the rejected part of the spec",
    };
  return {
    cause: `The API server rejects ${subject}: ${listCauses(causes)}`,
    remedy: remedyFor(causes, paths),
  };
}

/** Pods beyond the Pod Security level that they are held to. */
function explainLevel(
  { causes }: Refusal,
  { level, from }: NonNullable<Refusal["podSecurity"]>,
  subject: string,
  paths: FieldPaths,
): Omit<Diagnosis, "subject"> {
  const rules = [...new Set(causes.map(({ message }) => message))].map((message) => ({ message }));
  const places = placesOf(causes, paths);
  const settings = places.length > 0 ? places.join(" and ") : (paths.security ?? "the pod settings");
  const holder = from === "namespace" ? "the namespace enforces" : "the operator requires";
  const wider =
    from === "namespace"
      ? "label the namespace with a level that allows it"
      : "start the operator with a --pod-security-level that allows it";
  return {
    cause: `${subject} cannot be created or updated: ${holder} Pod Security level ${level}: ${listCauses(rules)}`,
    remedy: `change ${settings}, or ${wider}`,
  };
}

/** Some APIs have other fields for limits than for requests. */
const fieldFor = (
  demanded: string,
  { resources = "the requested resources", limits = resources }: FieldPaths,
): string => (demanded.includes("limits.") ? limits : resources);

/** Refusals that are explained in prose: by a quota, a policy, a webhook. Also what controllers report of pods that they cannot create. */
export function explainText(message: string, paths: FieldPaths): Omit<Diagnosis, "subject"> | undefined {
  const resources = paths.resources ?? "the requested resources";
  const text = readRefusal(message);
  switch (text.is) {
    case "quota": {
      const figures = text.figures === "" ? "" : ` (${text.figures})`;
      return {
        cause: `ResourceQuota ${text.quota} is exceeded${figures}`,
        remedy: remedyForQuota(text, paths),
      };
    }
    case "quota needs":
      return {
        cause: `ResourceQuota ${text.quota} requires ${text.resources}`,
        // Containers that prepare take nothing from the fields of the service.
        remedy: `add a LimitRange with defaults to the namespace, or set them for the serving container in ${fieldFor(text.resources, paths)}`,
      };
    case "limit range":
      return {
        cause: `The LimitRange of the namespace does not allow it: ${text.rule}`,
        remedy: `change ${resources} to stay within the LimitRange`,
      };
    case "pod security":
      return {
        cause: `The namespace enforces Pod Security level ${text.level}: ${text.rule}`,
        remedy: `remove it from ${paths.security ?? "the pod settings"}, or label the namespace with a level that allows it`,
      };
    case "webhook":
      return {
        cause: `Admission webhook ${text.webhook} denied the request: ${text.rule || "no reason given"}`,
        remedy: "change the rejected part of the spec, or ask the administrator of the webhook for an exception",
      };
    case "unanswered webhook":
      return {
        cause: `Admission webhook ${text.webhook} does not respond: ${text.rule}`,
        remedy: "repair or delete the webhook",
      };
    case "policy":
      return {
        cause: `ValidatingAdmissionPolicy ${text.policy} denied the request: ${text.rule}`,
        remedy: "change the rejected part of the spec, or ask the administrator of the policy for an exception",
      };
    case "permission":
      return {
        cause: `User ${text.user} cannot ${text.verb} ${text.resource}`,
        remedy: `grant the permission with a Role or ClusterRole to ${text.user}`,
      };
    case "missing":
      return {
        cause: `${kindNames[text.kind] ?? text.kind} ${text.name} not found`,
        remedy: "create it, or change the reference",
      };
    case "other":
      return undefined;
  }
}

/** Lowering what a pod requests frees nothing of a quota that counts objects. */
function remedyForQuota({ quota, exceeded }: ExceededQuota, paths: FieldPaths): string {
  const names = exceeded.length === 0 ? ["requests"] : exceeded;
  const [raise, free] = [`raise ResourceQuota ${quota}`, "delete objects that count against it"];
  const less = [
    ...names.filter(isCompute).map((name) => `lower ${fieldFor(name, paths)}`),
    ...(names.some(isStorage) ? ["request less storage"] : []),
  ];
  return less.length === 0
    ? `${raise}, or ${free}`
    : [raise, free, `or ${[...new Set(less)].join(" and ")}`].join(", ");
}

type ExceededQuota = Extract<RefusalText, { is: "quota" }>;

const isStorage = (name: string): boolean => /(?:^|\/)requests\.storage$/.test(name);
const isCompute = (name: string): boolean =>
  !isStorage(name) && /^(?:cpu|memory|ephemeral-storage|requests|(?:requests|limits)\..+|hugepages-.+)$/.test(name);

/** Servers write some kinds in lower case. */
const kindNames: Readonly<Record<string, string>> = { serviceaccount: "ServiceAccount" };

const maxCauses = 3;

function listCauses(causes: readonly RefusalCause[]): string {
  const shown = causes.slice(0, maxCauses).map(({ field, message }) => (field ? `${field}: ${message}` : message));
  const rest = causes.length - shown.length;
  return `${shown.join("; ")}${rest > 0 ? ` (and ${rest} more)` : ""}`;
}

function remedyFor(causes: readonly RefusalCause[], paths: FieldPaths): string {
  const fields = causes.flatMap(({ field }) => (field ? [field] : []));
  const places = placesOf(causes, paths);
  if (places.length > 0) return `correct ${places.join(" and ")}`;
  return fields.some((field) => field === "metadata.name")
    ? "choose another metadata.name"
    : "correct the part of the spec that sets this field";
}

/** The parts of a spec that the fields are built from. */
function placesOf(causes: readonly RefusalCause[], paths: FieldPaths): string[] {
  const found = causes.flatMap(({ field = "" }) => aspects.find(([pattern]) => pattern.test(field))?.[1] ?? []);
  return [...new Set(found.flatMap((aspect) => paths[aspect] ?? []))];
}

/** Without `Deployment.apps "chat" is invalid: `, which the sentence says already. */
const withoutHead = (message: string): string => message.replace(/^\S+ "[^"]*" is (?:invalid|forbidden): /, "");
