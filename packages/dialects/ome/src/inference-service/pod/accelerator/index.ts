export { applyClass, type ClassInput } from "./apply-class.ts";
export { effectsOf } from "./class-effects.ts";
export { placePod } from "./place-pod.ts";
