import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObservedPod } from "@trivium/domain";
import { templateSourceField } from "../../field-paths.ts";
import { classifyFailure, classifyWaiting, wasAskedToStop } from "./classify.ts";

const ended = (exitCode: number, message = "", reason = "Error"): ObservedPod => ({
  name: "p",
  phase: "Failed",
  isReady: false,
  isLeaving: false,
  containers: [
    {
      name: "model-download",
      role: "serves",
      isReady: false,
      restarts: 0,
      state: { is: "ended", exitCode, reason, message },
    },
  ],
});
const waiting = (reason: string, message: string): ObservedPod => ({
  ...ended(0),
  containers: [{ name: "c", role: "serves", isReady: false, restarts: 0, state: { is: "waiting", reason, message } }],
});

const context = { sourceUri: "hf://acme/tiny", claim: { name: "tiny-cache", size: "1Gi" } };

test("only our own event means that a download was stopped from outside", () => {
  const stopped = ended(130, '{"event":"error","reason":"Stopped","message":"stopped on request"}');
  assert.equal(wasAskedToStop([stopped]), true);
  assert.equal(wasAskedToStop([ended(130, "interrupted")]), false);
  assert.equal(wasAskedToStop([ended(1, '"Stopped"')]), false);
  assert.equal(wasAskedToStop([stopped, ended(4)]), false);
  assert.equal(wasAskedToStop([]), false);
});

test("why downloads fail", () => {
  const table: [ObservedPod, string][] = [
    [ended(4, "x"), "AuthError"],
    [ended(3), "SourceNotFound"],
    [ended(6), "StorageFull"],
    [ended(7), "SourceUnreachable"],
    [ended(5), "VerificationFailed"],
    [ended(137, "", "OOMKilled"), "PodOOMKilled"],
    [ended(1, "403 Client Error: access to a gated repo"), "AuthError"],
    [ended(1, "SignatureDoesNotMatch"), "AuthError"],
    [ended(1, "OSError: [Errno 28] No space left on device"), "StorageFull"],
    [ended(1, "NoSuchBucket"), "SourceNotFound"],
    [ended(1, "getaddrinfo: could not resolve host"), "SourceUnreachable"],
    [ended(1, "something else"), "DownloadFailed"],
    [ended(1), "DownloadFailed"],
  ];
  for (const [pod, reason] of table) assert.equal(classifyFailure([pod], context).reason, reason);
  assert.equal(classifyFailure([], context).reason, "DownloadFailed");
  const messages: [ObservedPod, RegExp][] = [
    [
      ended(4, 'log {"event":"error","message":"it is gated"}'),
      /^it is gated; set the credentials in spec.env from a Secret/,
    ],
    [ended(4, '{"event":"error","mess'), /event/],
    [ended(3, "gone."), /^gone; correct spec.sourceUri; for a private repository, set the credentials in spec.env/],
    [ended(5, "bad digest"), /^bad digest; correct spec.sourceUri$/],
    [ended(6, "full"), /^full; free space on PersistentVolumeClaim tiny-cache of 1Gi, expand it, or change spec.size/],
    [ended(7, "no route"), /^no route; check that the nodes can reach the source$/],
    [ended(1, "x509: unknown certificate"), /; make its certificate authority available to the pods$/],
    [ended(1), /^The download exited with code 1; check its log with kubectl logs$/],
    [{ ...ended(0), containers: [], failure: "Evicted: disk" }, /^Pod p was evicted: disk; free the resource/],
  ];
  for (const [pod, message] of messages) assert.match(classifyFailure([pod], context).message, message);
  assert.match(classifyFailure([], context).message, /without a message; check its log/);
  const created = { ...context, sourceField: templateSourceField };
  assert.match(
    classifyFailure([ended(5, "bad digest")], created).message,
    /^bad digest; correct modelSources in the spec of the service, model or template$/,
  );
  // As it was written, not as the pod has it.
  const file = { ...context, sourceUri: "file:///opt/models/tiny.gguf" };
  assert.match(
    classifyFailure([ended(3, "/srv/data/tiny.gguf: file or folder not found")], file).message,
    /^\/opt\/models\/tiny\.gguf not found on the node; create it, or correct spec\.sourceUri; retrying automatically$/,
  );
});

test("what keeps downloads from starting", () => {
  const table: [ObservedPod, string | undefined][] = [
    [waiting("ErrImagePull", "unauthorized"), "ImagePullAuthFailure"],
    [waiting("ImagePullBackOff", "manifest unknown"), "ImageNotFound"],
    [waiting("ImagePullBackOff", ""), "ImagePullBackOff"],
    [waiting("ContainerCreating", ""), undefined],
    [{ ...ended(0), unschedulable: "0/1" }, "FailedScheduling"],
  ];
  for (const [pod, reason] of table) assert.equal(classifyWaiting([pod])?.reason, reason);
});
