export { ephemeralVolumeReconciler } from "./ephemeral-volume.ts";
