import { WeightsError } from "../fault.ts";

/** The one fault of a file that is not what it claims to be. */
export function invalidFile(shownAs: string, why: string): WeightsError {
  return new WeightsError("refused", "InvalidModelFile", `${shownAs}: ${why}`);
}
