/** A child that the API server does not accept: its answer as data. */
export interface Refusal {
  readonly child: { readonly kind: string; readonly name: string; readonly namespace?: string | undefined };
  /** The reason of the server's answer, or `NameTaken` where an object of another owner has the name. */
  readonly reason: string;
  readonly code: number;
  /** The answer as the server worded it; of a Secret without what it quotes. */
  readonly message: string;
  /** The fields that it objects to, where it names them. */
  readonly causes: readonly RefusalCause[];
  /** The Pod Security level that the child's pods break, and who asks for it. */
  readonly podSecurity?: { readonly level: string; readonly from: "namespace" | "operator" } | undefined;
}

export interface RefusalCause {
  readonly field?: string | undefined;
  readonly message: string;
}
