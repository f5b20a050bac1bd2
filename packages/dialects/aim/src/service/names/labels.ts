import { group } from "../../group.ts";

/** On routes: the digest of Gateway and path, by which two services with one path find each other. */
export const routeLabel = `${group.group}/route`;
/** On pods: which template of a pod they were made from. */
export const templateAnnotation = `${group.group}/pod-template`;
