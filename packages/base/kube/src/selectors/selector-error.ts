/** A label or field selector that cannot be read. The message is what a kube-apiserver says, with code 400. */
export class SelectorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SelectorError";
  }
}
