import { releaseStartUpGarbage } from "../start-up-garbage.ts";

/** So long after the last work there is none any more. */
const quietTime = 2_000;

/** Gives back what work took, once it is over: an agent does nothing for days, and V8 collects only when something is allocated. */
export class Thrift {
  #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setTimeout(releaseStartUpGarbage, quietTime).unref();
  }

  readonly worked = (): void => void this.#timer.refresh();

  stop(): void {
    clearTimeout(this.#timer);
  }
}
