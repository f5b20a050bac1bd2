import { redact } from "@trivium/kube";
import { deepEqual, type Json } from "@trivium/std";

/** Whether a field holds a credential in plain text: by its name, or in a variable, an argument or an address. Those are not copied into annotations. */
export function mayHoldCredential(path: readonly string[], value: Json): boolean {
  const field = { [path.at(-1) ?? ""]: value };
  return !deepEqual(redact(field), field);
}
