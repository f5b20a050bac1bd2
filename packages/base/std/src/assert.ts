/** Ends a `switch` over a tagged union: adding a member without handling it is a type error. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
