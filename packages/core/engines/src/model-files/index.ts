export { formatParameterCount } from "./format-parameters.ts";
export { parseGgufFacts, summarizeGguf } from "./gguf-facts.ts";
export { isGgufFile } from "./gguf-file.ts";
export { parseModelFacts } from "./model-facts.ts";
export { parseAdapter, parsePipeline } from "./side-files.ts";
