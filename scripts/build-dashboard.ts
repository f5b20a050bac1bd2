/** Builds the browser half of the dashboard into apps/dashboard/dist. */
import { build } from "vite";
import config from "../apps/dashboard/vite.config.ts";

await build({ ...config, configFile: false, logLevel: process.argv.includes("--quiet") ? "warn" : "info" });
