export { formatParameterCount } from "./format-parameters.ts";
export { hasChatTemplate, parseGgufFacts, summarizeGguf } from "./gguf-facts.ts";
export { parseGgufShape } from "./gguf-shape.ts";
export { parseModelJson } from "./json-text.ts";
export { parseLicense } from "./license.ts";
export { type ModelDescription, parseModelFacts } from "./model-facts.ts";
export {
  type GenerationDefaults,
  parseAdapter,
  parseGeneration,
  parsePipeline,
  parseTokenizer,
} from "./side-files.ts";
