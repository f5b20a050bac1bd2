export { type EngineChoice, type EngineCommand, engineCommand, ownCommand } from "./command.ts";
export { FlagError, parseFlags } from "./flags/parse.ts";
export { type Settings, settingsOf } from "./flags/settings.ts";
export { type GgufHeader, ModelFileError, readGgufHeader } from "./model/gguf-header.ts";
export { type ProgramHost, runProgram } from "./program.ts";
