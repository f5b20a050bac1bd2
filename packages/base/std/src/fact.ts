/**
 * What is known of something outside a decision. `pending` and `unreachable` are not `absent`:
 * a decision may only remove things because of what it knows.
 */
export type Fact<T> =
  | { readonly is: "known"; readonly value: T }
  | { readonly is: "absent" }
  | { readonly is: "pending" }
  | { readonly is: "unreachable"; readonly why: string };

export const known = <T>(value: T): Fact<T> => ({ is: "known", value });
export const absent: Fact<never> = { is: "absent" };
export const pending: Fact<never> = { is: "pending" };
export const unreachable = (why: string): Fact<never> => ({ is: "unreachable", why });
