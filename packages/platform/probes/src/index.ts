export { isAddressException } from "@trivium/weights";
export { localFileAnswers } from "./local-file.ts";
export { modelServerAnswers } from "./model-server.ts";
export { modelSourceAnswers } from "./model-source.ts";
export { objectWarningAnswers } from "./object-warnings.ts";
export { podLogAnswers } from "./pod-log.ts";
export { registryAnswers } from "./registry.ts";
export { servedKindAnswers } from "./served-kinds.ts";
