import type { Failure } from "@trivium/domain";
import { classifyTransfer, type TransferFault } from "./classify-transfer.ts";

/** What made a container exit, as far as its exit code and its last log line tell. */
export type CrashCause =
  /** A container that prepares could not download weights. */
  | { readonly is: "transfer"; readonly fault: Exclude<TransferFault, "failed"> }
  /** The driver of the node is too old; where in the last log line it is reported. */
  | { readonly is: "driver"; readonly at: number }
  /** The engine does not support the architecture of the model. */
  | { readonly is: "unsupported model" }
  /** The engine does not know one of its arguments, or its value. */
  | { readonly is: "argument" }
  | { readonly is: "other" };

const oldDriver = [
  "driver on your system is too old",
  "cuda driver version is insufficient",
  "cudaerrorinsufficientdriver",
  "cuda_error_insufficient_driver",
];

const unknownModel = /unknown model architecture|unsupported model architecture|are not supported for now/i;

/** As llama.cpp and the parsers of Python and Go say it. `Invalid argument` alone is an error of the system, such as a failed mmap. */
const wrongArgument =
  /unrecognized arguments?|invalid argument:? -|unknown (?:argument|option|flag)|unexpected argument|no such option|argument -\S+: (?:invalid|expected)/i;

/** The one reading of how a container exited. */
export function classifyCrash({ role, exitCode, lastLogLine = "" }: Failure): CrashCause {
  if (role === "prepares") {
    const fault = classifyTransfer(exitCode, lastLogLine);
    return fault === "failed" ? { is: "other" } : { is: "transfer", fault };
  }
  const at = oldDriver.map((one) => lastLogLine.toLowerCase().indexOf(one)).find((found) => found !== -1);
  if (at !== undefined) return { is: "driver", at };
  if (unknownModel.test(lastLogLine)) return { is: "unsupported model" };
  return { is: wrongArgument.test(lastLogLine) ? "argument" : "other" };
}
