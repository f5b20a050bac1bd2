export { type Converted, convertServices, type LedgerEntry } from "./convert-service.ts";
export { engineOfImage, formatLaunch, imageOfEngine, launchOf, parseLaunch, parseSettings } from "./engine-launch.ts";
export { type FieldReader, openFields } from "./field-reader.ts";
export { type FieldPlace, takeEnv, takeFirst } from "./first-field.ts";
export { takeBounds } from "./replica-bounds.ts";
export { splitRoleOptions } from "./role-options.ts";
export { tokenVariable } from "./token-env.ts";
export { writtenObject } from "./written-object.ts";
