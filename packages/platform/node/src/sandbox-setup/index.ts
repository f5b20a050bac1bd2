export { sharedAddress } from "./addresses/addresses.ts";
export { portsAnnotation } from "./addresses/announce-ports.ts";
export { createSandboxSetup, type LocalSandboxSetup } from "./create-sandbox-setup.ts";
export type { SandboxSetupOptions } from "./options.ts";
