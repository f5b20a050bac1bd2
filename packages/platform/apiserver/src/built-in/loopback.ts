import type { KubeObject } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
import type { Traits } from "./traits.ts";

/**
 * The same kind, but its endpoints may lie on this machine: pods that are processes here have addresses in 127.0.0.0/8. A real server
 * refuses those, because from another node they would lead nowhere.
 */
export function withLoopback(own: Traits<KubeObject>): Traits<KubeObject> {
  const { validate } = own;
  if (validate === undefined) return own;
  return { ...own, validate: (object, old) => validate(object, old).filter((fault) => !isAboutLoopback(fault)) };
}

const isAboutLoopback = ({ reason, value, detail }: FieldError): boolean =>
  reason === "FieldValueInvalid" &&
  typeof value === "string" &&
  value.startsWith("127.") &&
  detail.startsWith("may not be in the loopback range");
