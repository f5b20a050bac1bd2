import type { RegistryFault, RegistryRefusal } from "@trivium/domain";
import { WeightsError } from "@trivium/weights";

export const refused = (reason: RegistryFault, why: string): RegistryRefusal => ({ is: "refused", reason, why });

/** What a registry's answer means. That it does not answer, or asks to come back later, is thrown on: then it is asked again. */
export function refusalOf(error: unknown): RegistryRefusal {
  if (!(error instanceof WeightsError)) throw error;
  const reason = reasonOf(error);
  if (reason === undefined) throw error;
  return refused(reason, error.message);
}

function reasonOf({ kind, reason }: WeightsError): RegistryFault | undefined {
  if (reason === "AddressNotAllowed" || reason === "UnsafeRedirect") return "address-not-allowed";
  if (reason === "NothingMatches") return "other-platform";
  switch (kind) {
    case "not-allowed":
      return "unauthorized";
    case "not-found":
      return "not-found";
    case "refused":
    case "mismatch":
      return "unreadable";
    default:
      return undefined;
  }
}
