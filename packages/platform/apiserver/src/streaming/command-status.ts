import type { Status } from "@trivium/kube";
import type { CommandResult } from "./pod-streams.ts";

/** The last word on the error stream, in the form that kubectl takes the exit code from. */
export function commandStatus(result: CommandResult): Omit<Status, "kind" | "apiVersion"> {
  if (result.is === "failed") {
    const message = `error executing command in container: ${result.message}`;
    return {
      metadata: {},
      status: "Failure",
      message: `Internal error occurred: ${message}`,
      reason: "InternalError",
      details: { causes: [{ message }] },
      code: 500,
    };
  }
  if (result.code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit code ${result.code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(result.code) }] },
  };
}

/** Older protocols carry a sentence, and nothing where all went well. */
export function commandText(result: CommandResult): string {
  if (result.is === "failed") return `error executing command in container: ${result.message}`;
  return result.code === 0 ? "" : `command terminated with non-zero exit code: exit code ${result.code}`;
}
