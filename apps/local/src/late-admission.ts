import type { AdmissionPort } from "@trivium/apiserver";

/** The server is there before those who are asked what may be stored. Until they are, nothing is filled in and nothing refused. */
export interface LateAdmission extends AdmissionPort {
  ask(port: AdmissionPort): void;
}

export function lateAdmission(): LateAdmission {
  let asked: AdmissionPort | undefined;
  return {
    ask: (port) => {
      asked = port;
    },
    fill: (of, write) => asked?.fill(of, write) ?? write.object,
    judge: (of, write) => asked?.judge(of, write) ?? { faults: [], warnings: [] },
  };
}
