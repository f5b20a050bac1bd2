import type { AnyAdmission } from "@trivium/reconcile";
import type { OmeOptions } from "../options.ts";
import { benchmarkAdmission } from "./benchmark-job.ts";
import { weightAdmission } from "./fine-tuned-weight.ts";
import { serviceAdmission } from "./inference-service.ts";
import { modelAdmissions } from "./model.ts";
import { runtimeAdmissions } from "./serving-runtime.ts";

/** What is said of objects of this API before they are stored. */
export const omeAdmissions = (options: OmeOptions): AnyAdmission[] => [
  serviceAdmission(options),
  ...runtimeAdmissions(),
  benchmarkAdmission(),
  ...modelAdmissions(options),
  weightAdmission(options),
];
