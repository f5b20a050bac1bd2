import { connect, constants } from "node:http2";
import type { Millis } from "@trivium/std";
import type { CheckResult } from "./check-target.ts";
import { authorityOf, dialMessage } from "./dial-message.ts";

export interface GrpcInput {
  readonly host: string;
  readonly port: number;
  readonly service: string;
  readonly timeout: Millis;
}

const unimplemented = "12";
const statuses = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

/** Asks the standard health service of gRPC. One message with one field each way: no library is needed for that. */
export function checkGrpc({ host, port, service, timeout }: GrpcInput): Promise<CheckResult> {
  const authority = authorityOf(host, port);
  return new Promise((resolve) => {
    const session = connect(`http://${authority}`);
    let isConnected = false;
    const end = (result: CheckResult): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(result);
    };
    const fail = (message: string): void => end({ is: "unhealthy", message });
    const within = `within ${timeout / 1000}s`;
    const timer = setTimeout(() => {
      if (isConnected) fail(`timeout: health rpc did not complete ${within}`);
      else fail(`timeout: failed to connect service "${authority}" ${within}: context deadline exceeded`);
    }, timeout);
    session.on("error", (error) =>
      fail(`error: failed to connect service at "${authority}": ${dialMessage(error, authority)}`),
    );
    session.once("connect", () => {
      isConnected = true;
    });
    const call = session.request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
      "user-agent": "kube-probe/1.36",
    });
    const pieces: Buffer[] = [];
    let outcome: { code: string; message: string } | undefined;
    const see = (headers: Record<string, unknown>): void => {
      const { "grpc-status": code, "grpc-message": message = "" } = headers;
      if (typeof code === "string") outcome = { code, message: String(message) };
    };
    call.on("response", see).on("trailers", see);
    call.on("data", (piece: Buffer) => pieces.push(piece));
    call.on("error", (error) => fail(`error: health rpc probe failed: ${error.message}`));
    call.on("end", () => end(resultOf(outcome, Buffer.concat(pieces))));
    call.end(messageOf(service));
  });
}

function resultOf(outcome: { code: string; message: string } | undefined, body: Buffer): CheckResult {
  if (outcome?.code === unimplemented) {
    const message = `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${outcome.message}`;
    return { is: "unhealthy", message };
  }
  if (outcome?.code !== "0")
    return { is: "unhealthy", message: `error: health rpc probe failed: ${outcome?.message ?? "no status"}` };
  // Five bytes of frame, then field 1 as a number; left out when it is zero.
  const status = statuses[body[5] === 0x08 ? (body[6] ?? 0) : 0] ?? "UNKNOWN";
  return status === "SERVING"
    ? { is: "healthy" }
    : { is: "unhealthy", message: `service unhealthy (responded with "${status}")` };
}

function messageOf(service: string): Buffer {
  const name = Buffer.from(service);
  const field =
    name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(field.length, 1);
  return Buffer.concat([frame, field]);
}

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);
