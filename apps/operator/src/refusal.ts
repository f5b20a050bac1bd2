/** Something the person who started the operator can put right: one line, no stack. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Refusal";
  }
}
