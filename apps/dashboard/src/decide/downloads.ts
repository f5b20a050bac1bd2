import type { DownloadProgress, StoredWeights } from "@trivium/domain";
import type { AnyObject } from "@trivium/kube";
import { dialectsHere } from "./explain-service.ts";

/** The download that an object of any dialect reports, where one runs. */
export const downloadOf = (object: AnyObject): DownloadProgress | undefined =>
  dialectsHere()
    .filter(({ group }) => object.apiVersion.startsWith(`${group}/`))
    .map((dialect) => dialect.downloadOf(object))
    .find((one) => one !== undefined);

/** Where the weights of an object of any dialect are, as far as it reports that. */
export const storedOf = (object: AnyObject): StoredWeights | undefined =>
  dialectsHere()
    .filter(({ group }) => object.apiVersion.startsWith(`${group}/`))
    .map((dialect) => dialect.storedOf(object))
    .find((one) => one !== undefined);

/** Where the weights of an object of any dialect come from. */
export const sourceOf = (object: AnyObject): string | undefined =>
  dialectsHere()
    .filter(({ group }) => object.apiVersion.startsWith(`${group}/`))
    .map((dialect) => dialect.weightsOf(object)?.source ?? dialect.sourceOf(object))
    .find((one) => one !== undefined);
