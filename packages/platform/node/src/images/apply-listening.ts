import { flagValue, withFlag } from "./flags.ts";
import type { Listening, Parameter } from "./image-row.ts";

export interface ListenInput {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly listening: Listening;
  /** Where it shall listen; undefined leaves the choice to the container (host network). */
  readonly address: string | undefined;
  /** The port that stands for one of the container's. */
  readonly portFor: (port: number) => number;
}

export interface Addressed {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Tells a program to listen at the pod's address, and at another port where the one it would take is not to be had. */
export function applyListening({ argv, env, listening, address, portFor }: ListenInput): Addressed {
  const { host, port } = listening;
  let addressed: Addressed = { argv, env };
  if (host !== undefined && address !== undefined) addressed = tell(addressed, host, address);
  if (port === undefined) return addressed;
  const asked = askedPort(addressed, port);
  if (asked === undefined) return addressed;
  const given = portFor(asked);
  return given === asked ? addressed : tell(addressed, port, String(given));
}

/** The port that a program takes by its flags, its variable, or by itself. */
export function askedPort(
  { argv, env }: Addressed,
  { flags = [], env: variable, usual }: NonNullable<Listening["port"]>,
) {
  const text = flagValue(argv, flags) ?? (variable === undefined ? undefined : env[variable]);
  const port = text === undefined ? usual : Number(text);
  return port !== undefined && Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

function tell({ argv, env }: Addressed, { flags = [], env: variable }: Parameter, value: string): Addressed {
  return {
    argv: flags.length === 0 ? argv : withFlag(argv, flags, value),
    env: variable === undefined ? env : { ...env, [variable]: value },
  };
}
