export { grantSlots, type SlotWish } from "./grant-slots.ts";
export { type ListedOutput, readListedOutput } from "./read-output.ts";
export { retryDelay } from "./retry-delay.ts";
