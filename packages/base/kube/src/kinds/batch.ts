export { CronJob, Job } from "../generated/kinds.ts";
