export { applyClass, type ClassQuestion, classOf } from "./apply-class.ts";
