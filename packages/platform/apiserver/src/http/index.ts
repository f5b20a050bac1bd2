export { adminByToken, type TokenLookup } from "./authenticate.ts";
export { type CertificateRequest, issueCertificate, type KeyPair } from "./certificate.ts";
export { type HealthCheck, storeCheck } from "./health.ts";
export { formatKubeconfig, type KubeconfigContent, writeKubeconfig } from "./kubeconfig.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export { type HttpsOptions, type RunningServer, type ServedApi, serveHttps } from "./serve.ts";
export {
  adminGroup,
  adminUser,
  type IdentityOptions,
  loadOrCreateIdentity,
  type ServerIdentity,
} from "./server-identity.ts";
