export type { ObservedClass } from "./candidate.ts";
export { GiB, memoryBytesOf, numberOf } from "./capabilities.ts";
export {
  type AcceleratedComponent,
  type ChosenClass,
  type ChosenClasses,
  chooseClass,
  classAnnotation,
  usesClasses,
} from "./choose-class.ts";
export { resourcesOf } from "./resources.ts";
