import { connect } from "node:net";
import type { Millis } from "@trivium/std";
import type { CheckResult } from "./check-target.ts";
import { authorityOf, dialMessage } from "./dial-message.ts";

/** Healthy when somebody answers at the port. */
export function checkTcp({
  host,
  port,
  timeout,
}: {
  host: string;
  port: number;
  timeout: Millis;
}): Promise<CheckResult> {
  const authority = authorityOf(host, port);
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (result: CheckResult): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end({ is: "unhealthy", message: `dial tcp ${authority}: i/o timeout` }), timeout);
    socket.once("connect", () => end({ is: "healthy" }));
    socket.on("error", (error) => end({ is: "unhealthy", message: dialMessage(error, authority) }));
  });
}
