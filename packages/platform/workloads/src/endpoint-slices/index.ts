export { type EndpointSlicesSeen, endpointSliceReconciler } from "./reconciler.ts";
