export { endpointSliceReconciler, type ObservedEndpointSlices } from "./reconciler.ts";
