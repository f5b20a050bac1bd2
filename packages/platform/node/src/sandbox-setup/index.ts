export { sharedAddress } from "./addresses.ts";
export { portsAnnotation } from "./announce-ports.ts";
export { createSandboxSetup, type LocalSandboxSetup } from "./create-sandbox-setup.ts";
export type { SandboxSetupOptions } from "./options.ts";
