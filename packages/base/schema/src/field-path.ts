/**
 * Where a walk through a value is. Most walks find nothing to report, so the text is made only when it is asked for.
 * Names of properties and keys of maps are both written with dots, as the real server's schema pass does.
 */
export class FieldPath {
  readonly #segments: (string | number)[] = [];

  push(segment: string | number): void {
    this.#segments.push(segment);
  }

  pop(): void {
    this.#segments.pop();
  }

  get isRoot(): boolean {
    return this.#segments.length === 0;
  }

  /** Whether this is the apiVersion or kind of the whole object. */
  get isHead(): boolean {
    const [first] = this.#segments;
    return this.#segments.length === 1 && (first === "apiVersion" || first === "kind");
  }

  /** `spec.env[2].name`; the empty text for the root. */
  toString(): string {
    let text = "";
    for (const segment of this.#segments) {
      if (typeof segment === "number") text += `[${segment}]`;
      else text += text === "" ? segment : `.${segment}`;
    }
    return text;
  }

  child(name: string): string {
    const text = this.toString();
    return text === "" ? name : `${text}.${name}`;
  }
}
