export { grantSlots } from "./grant-slots.ts";
export { readListedOutput } from "./read-output.ts";
export { retryDelay } from "./retry-delay.ts";
