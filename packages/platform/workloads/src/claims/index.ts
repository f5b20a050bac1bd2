export { claimProtectionReconciler } from "./claim-protection.ts";
export { ephemeralVolumeReconciler } from "./ephemeral-volume.ts";
