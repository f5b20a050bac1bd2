/** Addresses of one IPv4 block, each given to one pod at a time. The one longest free is given next. */
export class AddressPool {
  readonly #free: string[] = [];
  readonly #taken = new Map<string, string>();
  readonly #base: number;
  readonly #size: number;
  #fresh = 2;

  constructor(cidr: string) {
    const [, a, b, c, d, bits] = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr) ?? [];
    const numbers = [a, b, c, d].map(Number);
    if (!(Number(bits) >= 8 && Number(bits) <= 30) || numbers.some((part) => !(part <= 255))) {
      throw new Error(`"${cidr}" is not a valid IPv4 block (expected e.g. 10.244.1.0/24)`);
    }
    this.#size = 2 ** (32 - Number(bits));
    const whole = numbers.reduce((sum, part) => sum * 256 + part, 0);
    this.#base = whole - (whole % this.#size);
  }

  /** The address of this owner; the wished one where it is free, so that a pod keeps its own over a restart of the agent. */
  take(owner: string, wished?: string): string {
    const held = this.#taken.get(owner);
    if (held !== undefined) return held;
    const address = wished !== undefined && this.#isOurs(wished) && !this.#isTaken(wished) ? wished : this.#next();
    this.#taken.set(owner, address);
    return address;
  }

  release(owner: string): void {
    const address = this.#taken.get(owner);
    if (address === undefined) return;
    this.#taken.delete(owner);
    this.#free.push(address);
  }

  /** Fresh ones first. The first two and the last address of a block are not for pods. */
  #next(): string {
    while (this.#fresh < this.#size - 1) {
      const address = addressOf(this.#base + this.#fresh);
      this.#fresh += 1;
      if (!this.#isTaken(address)) return address;
    }
    for (let address = this.#free.shift(); address !== undefined; address = this.#free.shift()) {
      if (!this.#isTaken(address)) return address;
    }
    throw new Error(`no free address in the pod block of this node (size: ${this.#size - 3})`);
  }

  #isTaken(address: string): boolean {
    for (const taken of this.#taken.values()) if (taken === address) return true;
    return false;
  }

  #isOurs(address: string): boolean {
    const number = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
    return number >= this.#base + 2 && number < this.#base + this.#size - 1;
  }
}

const addressOf = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
