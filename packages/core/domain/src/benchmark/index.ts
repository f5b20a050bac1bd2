export * from "./measurement.ts";
