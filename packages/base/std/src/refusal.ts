/** Something the person who typed a command can put right: it is told in one line, without a stack. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Refusal";
  }
}
