import { type Admission, newFaults } from "@trivium/reconcile";
import { type FieldError, invalid } from "@trivium/schema";
import { showUri } from "@trivium/std";
import { type BenchmarkJob, faultOfSpec, type SpecFault } from "../benchmark-job/pod/check-spec.ts";
import { planDataset } from "../benchmark-job/pod/dataset.ts";
import { planOutput } from "../benchmark-job/pod/output.ts";
import { BenchmarkJob as Kind } from "../kinds/benchmark-job.ts";
import { InferenceService } from "../kinds/inference-service.ts";

interface Context {
  /** The service to measure, where it is known not to be there. */
  readonly missing?: string;
}

export const benchmarkAdmission = (): Admission<BenchmarkJob, Context, typeof InferenceService> => ({
  kind: Kind,
  verbs: ["create", "update"],
  reads: [InferenceService],
  observe({ object }, reader) {
    const service = object.spec.endpoint.inferenceService;
    if (service === undefined || reader.get(InferenceService, service).is !== "absent") return {};
    return { missing: `${service.namespace}/${service.name}` };
  },
  judge(request, { missing }) {
    const faults = newFaults(request, faultsOf);
    if (faults.length > 0) return { faults, warnings: [] };
    const absence =
      missing === undefined ? [] : [`InferenceService ${missing} not found; the job waits until it is created`];
    return { faults, warnings: [...absence, ...warningsOf(request.object)] };
  },
});

function faultsOf(job: BenchmarkJob): FieldError[] {
  const spec = faultOfSpec(job);
  const [output, dataset] = [planOutput(job), planDataset(job)];
  return [
    ...(spec === undefined ? [] : [fieldError(spec)]),
    ...(output.is === "faulty" ? [fieldError(output.fault, job.spec.outputLocation.storageUri)] : []),
    ...(dataset.is === "faulty" ? [fieldError(dataset.fault, job.spec.dataset?.storageUri)] : []),
  ];
}

const fieldError = ({ field, detail }: SpecFault, value = ""): FieldError => invalid(field, showUri(value), detail);

const hottest = 1.5;

function warningsOf(job: BenchmarkJob): string[] {
  const output = planOutput(job);
  const open = output.is === "planned" ? output.plainCredentials : [];
  const temperature = Number(job.spec.additionalRequestParams?.temperature ?? 0);
  return [
    ...(open.length === 0
      ? []
      : [
          `spec.outputLocation.parameters contains credentials in plain text (${open.join(", ")}); move them to a Secret and set spec.outputLocation.key`,
        ]),
    ...(temperature > hottest ? [`spec.additionalRequestParams.temperature ${temperature} is unusually high`] : []),
  ];
}
