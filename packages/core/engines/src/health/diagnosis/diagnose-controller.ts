import type { Diagnosis, FieldPaths } from "@trivium/domain";
import { sanitizeOutput } from "../sanitize-output.ts";
import { shorten } from "../shorten.ts";
import { classifyImage } from "./classify-image.ts";
import { remedyOfImage } from "./image-remedy.ts";

/** Controllers that run what we hand over to them. */
export type UpstreamController = "KServe" | "KEDA" | "Knative" | "LeaderWorkerSet" | "Istio" | "OpenTelemetry";

/** What one of them reports of an object that it does not carry out. */
export interface ControllerReport {
  readonly controller: UpstreamController;
  /** `InferenceService chat`. */
  readonly subject: string;
  readonly reason?: string | undefined;
  readonly message: string;
}

type Remedy = (subject: string, paths: FieldPaths, message: string) => string;

const deploymentMode: Remedy = () =>
  "install Knative, or use the deployment mode RawDeployment in the configuration of KServe";
const scaling: Remedy = (subject, { scaling: field }) =>
  `correct ${field ?? "the scaling"}, or check ${subject} with kubectl describe`;
const image: Remedy = (subject, paths, message) =>
  remedyOfImage(classifyImage("", message), paths, { details: `${subject} with kubectl describe` });

/** What to do, by the reason that the controller gives. */
const byReason: Readonly<Record<string, Remedy>> = {
  ServerlessModeRejected: deploymentMode,
  ContainerMissing: image,
  ResolvingDigests: image,
  ProgressDeadlineExceeded: (subject) => `check the pods of ${subject} with kubectl describe`,
  InsufficientQuota: (_, { resources }) =>
    `raise the ResourceQuota, or lower ${resources ?? "the requested resources"}`,
  TriggerError: scaling,
  ScaledObjectCheckFailed: scaling,
  FailedGetResourceMetric: () => "install metrics-server, or check that it runs",
  FailedGetPodsMetric: () => "install an adapter for pod metrics (custom.metrics.k8s.io), or install KEDA",
  FailedGetExternalMetric: scaling,
};

/** What to do where the reason says nothing. */
const byController: Readonly<Record<UpstreamController, Remedy>> = {
  KServe: (subject) => `check ${subject} and the log of the KServe controller`,
  KEDA: scaling,
  Knative: (subject) => `check ${subject} and the log of the Knative controller`,
  LeaderWorkerSet: (subject) => `check ${subject} with kubectl describe`,
  Istio: (subject) => `check ${subject} with istioctl analyze`,
  OpenTelemetry: (subject) => `check ${subject} and the log of the OpenTelemetry operator`,
};

/** Why another controller does not carry an object out, and what to do. */
export function diagnoseController(report: ControllerReport, paths: FieldPaths): Diagnosis {
  const { controller, subject, reason = "", message } = report;
  const text = sanitizeOutput(message).replace(/[.\s]+$/, "");
  const remedy = Object.hasOwn(byReason, reason) ? byReason[reason] : undefined;
  return {
    subject,
    cause: shorten(`${controller} cannot run ${subject}: ${text || reason || "no reason given"}`),
    remedy: (remedy ?? byController[controller])(subject, paths, message),
  };
}

/** An API that is needed and not installed. `purpose` says for what: `scaling by pod metrics`. */
export const diagnoseMissingApi = (controller: string, purpose: string, instead: string): Diagnosis => ({
  subject: controller,
  cause: `${controller} is not installed, so ${purpose} is not available`,
  remedy: `install ${controller}, or ${instead}`,
});
