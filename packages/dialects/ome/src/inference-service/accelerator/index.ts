export { applyClass, type ClassQuestion, classOf, type NamedClass } from "./apply-class.ts";
