import type { Fault, FaultCode } from "../contract.ts";

/** A request that is refused, with what its sender reads. Never holds a token: messages are shown and may be logged. */
export class Refused extends Error {
  readonly code: FaultCode;
  readonly status: number;

  constructor(code: FaultCode, message: string) {
    super(message);
    this.name = "Refused";
    this.code = code;
    this.status = statuses[code];
  }

  get body(): Fault {
    return { error: { code: this.code, message: this.message } };
  }
}

const statuses: Readonly<Record<FaultCode, number>> = {
  BadRequest: 400,
  LoginRequired: 401,
  LoginFailed: 401,
  Forbidden: 403,
  OriginNotAllowed: 403,
  ReadOnly: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  TooLarge: 413,
  HostNotAllowed: 421,
  TooManyRequests: 429,
  InternalError: 500,
  Unavailable: 503,
};
