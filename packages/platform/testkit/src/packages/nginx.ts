import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { debianPackages, type Packages, programOf } from "./debian.ts";
import { type Service, startService } from "./service.ts";

export interface NginxOptions {
  /** What is served at `/`. */
  readonly root?: string;
  /** Lines inside `server { … }`, such as locations and limits. */
  readonly server?: string;
  /** Lines inside `http { … }` before the server, such as upstreams. */
  readonly http?: string;
  readonly workers?: number;
}

/** nginx of Debian, in the foreground, on a free port of loopback; or why it cannot be had. */
export async function startNginx(options: NginxOptions): Promise<Service | Extract<Packages, { is: "missing" }>> {
  const packages = await debianPackages("nginx");
  if (packages.is === "missing") return packages;
  return startService({
    program: programOf(packages, "nginx"),
    environment: packages.environment,
    async prepare({ folder, port }) {
      await mkdir(join(folder, "temp"));
      await writeFile(join(folder, "nginx.conf"), configuration(options, port));
      return ["-p", folder, "-c", "nginx.conf", "-e", "error.log"];
    },
  });
}

function configuration({ root, server = "", http = "", workers = 1 }: NginxOptions, port: number): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `daemon off;
${process.getuid?.() === 0 ? "user root root;" : ""}
worker_processes ${workers};
pid nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nodelay on;
  default_type application/octet-stream;
  ${temporary.map((name) => `${name}_temp_path temp/${name};`).join(" ")}
  ${http}
  server {
    listen 127.0.0.1:${port} reuseport;
    ${root === undefined ? "" : `root ${root};`}
    ${server}
  }
}
`;
}
