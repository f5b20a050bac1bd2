export * from "./gguf-file-type.ts";
export * from "./held-artifact.ts";
export * from "./local-root.ts";
export * from "./model-facts.ts";
export * from "./model-header.ts";
export * from "./model-shape.ts";
export * from "./registry-report.ts";
export * from "./tensor-type.ts";
