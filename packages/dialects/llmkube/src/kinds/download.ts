import { int32, int64, obj, opt } from "@trivium/schema";

/** The same in the status of a Model and of a service. */
export const Download = obj("Progress of the download of the weights, while one runs", {
  bytesDone: int64("Downloaded bytes"),
  bytesTotal: opt(int64("Total size in bytes; not set if it is unknown")),
  percent: opt(int32("Downloaded share in percent")),
  bytesPerSecond: opt(int64("Download rate in bytes per second")),
  secondsLeft: opt(int64("Estimated time left in seconds")),
  files: opt(obj("Number of files", { done: int32("Files that are downloaded"), total: int32("Files to download") })),
});
