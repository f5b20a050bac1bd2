export { grantSlots, type SlotRequest } from "./grant-slots.ts";
export { type ListedOutput, readListedOutput } from "./read-output.ts";
export { retryDelay } from "./retry-delay.ts";
