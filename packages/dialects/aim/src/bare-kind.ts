export { bareKind } from "@trivium/kube";
