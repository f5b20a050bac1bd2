/** What a real server says of every JSON patch that it cannot carry out; the cause stays in `detail`. */
const rejected = "the server rejected our request due to an error in our request";

/**
 * A patch that cannot be carried out. `message` is what a kube-apiserver answers, `detail` says which part was at fault.
 * Some faults of a strategic merge patch are 500 on a real server, and so they are here.
 */
export class PatchError extends Error {
  readonly code: 400 | 422 | 500;
  readonly detail: string;

  constructor(code: 400 | 422 | 500, message: string, detail = message) {
    super(message);
    this.name = "PatchError";
    this.code = code;
    this.detail = detail;
  }
}

export const badPatch = (message: string) => new PatchError(400, message);
export const rejectedPatch = (detail: string) => new PatchError(422, rejected, detail);
export const brokenPatch = (message: string) => new PatchError(500, message);
