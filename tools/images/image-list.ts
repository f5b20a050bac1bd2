import type { programs } from "../../scripts/bundles.ts";
import { operatorEnvironment, operatorFlags } from "../../scripts/toolchain.mjs";

/** One image: a program on the base that all share. */
export interface ImageSpec {
  /** Of its bundle; the image is `trivium-<name>`. */
  readonly name: keyof typeof programs;
  readonly description: string;
  /** Flags of Node: the same as on one machine. */
  readonly flags: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it serves the dashboard, and so has its pages. */
  readonly hasPages?: boolean;
  /** Whether the native llama.cpp is needed. */
  readonly hasBinding: boolean;
}

export const imageSpecs: readonly ImageSpec[] = [
  {
    name: "operator",
    description: "Reconcilers of AIM, OME and LLMKube",
    flags: [...operatorFlags],
    environment: operatorEnvironment,
    hasPages: true,
    hasBinding: false,
  },
  {
    name: "weights",
    description: "Downloads, verifies and inspects model weights",
    flags: ["--max-semi-space-size=1"],
    hasBinding: false,
  },
  {
    name: "node-agent",
    description: "Downloads models to a node",
    flags: ["--max-semi-space-size=1"],
    hasBinding: false,
  },
  {
    name: "gateway",
    description: "One address for all models",
    flags: ["--max-semi-space-size=8"],
    hasBinding: false,
  },
  {
    name: "engine",
    description: "Model server with the flags and the HTTP API of llama-server",
    flags: [],
    hasBinding: true,
  },
];

/** Everyone who is not root has this number, in all images. */
export const user = 65_532;

/** How the program of an image starts. */
export const processOf = ({ name, flags, environment = {} }: ImageSpec) => ({
  User: `${user}:${user}`,
  Env: [
    "PATH=/usr/local/bin",
    "HOME=/home/nonroot",
    "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
    "NODE_ENV=production",
    ...Object.entries(environment).map(([variable, value]) => `${variable}=${value}`),
  ],
  Entrypoint: ["/usr/local/bin/node", ...flags, `/app/${name}.mjs`],
  WorkingDir: "/home/nonroot",
});
