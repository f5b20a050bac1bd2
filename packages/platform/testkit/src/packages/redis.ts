import { debianPackages, type Packages, programOf } from "./debian.ts";
import { type Service, startService } from "./service.ts";

/** Redis of Debian on a free port of loopback, in memory only; or why it cannot be had. */
export async function startRedis(): Promise<Service | Extract<Packages, { is: "missing" }>> {
  const packages = await debianPackages("redis-server");
  if (packages.is === "missing") return packages;
  return startService({
    program: programOf(packages, "redis-server"),
    environment: packages.environment,
    prepare: async ({ folder, port }) => [
      ...["--bind", "127.0.0.1", "--port", String(port), "--dir", folder],
      ...["--save", "", "--appendonly", "no", "--daemonize", "no"],
    ],
  });
}
