export {
  type Amounts,
  type GrantedQuota,
  grantQuota,
  type QuotaClaim,
  type QuotaFault,
  type QuotaGrant,
  type QuotaLimit,
} from "./grant-quota.ts";
