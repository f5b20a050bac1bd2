export { applyClass, type ClassInput, classOf, type NamedClass } from "./apply-class.ts";
