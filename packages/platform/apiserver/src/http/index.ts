export { adminByToken } from "./authenticate.ts";
export { issueCertificate, type KeyPair } from "./certificate.ts";
export { type HealthCheck, storeCheck } from "./health.ts";
export { writeKubeconfig } from "./kubeconfig.ts";
export { type RunningServer, serveHttps } from "./serve.ts";
export { loadOrCreateIdentity, type ServerIdentity } from "./server-identity.ts";
