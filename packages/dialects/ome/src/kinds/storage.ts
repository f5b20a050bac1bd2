import { k8s } from "@trivium/kube";
import { as, map, obj, oneOf, opt, str } from "@trivium/schema";

const address =
  "Address of the files: oci://n/<namespace>/b/<bucket>/o/<path>, hf://<model>[@<revision>], s3://<bucket>[@<region>]/<prefix>, pvc://[<namespace>:]<claim>/<path>, vendor://<vendor>/<type>/<path>, az://, gs://, github:// or local://";

/** Where files are and how to get at them. */
export const storage = (description: string) =>
  obj(description, {
    storageUri: str(address),
    path: opt(str("Folder on the node that receives the files; chosen by the agent when left out")),
    schemaPath: opt(str("Place of a schema or configuration file in the storage")),
    parameters: opt(
      map("Settings of the storage, such as region, auth, secretKey or token", str("Value of the setting")),
    ),
    key: opt(str("Secret with the credentials; parameters.secretKey says which entry of it, token when left out")),
    nodeSelector: opt(map("Labels that a node must have to receive the files", str("Value of the label"))),
    nodeAffinity: opt(as(k8s.NodeAffinity, "Further conditions on nodes; only the required ones count")),
    downloadPolicy: opt(
      oneOf("Whether files that are there already, unchanged, are used again; for hf:// only", [
        "AlwaysDownload",
        "ReuseIfExists",
      ]),
    ),
  });

/** Another object by name. */
export const objectReference = (description: string) =>
  obj(description, {
    name: str("Name of the object"),
    namespace: opt(str("Its namespace; left out for a cluster-scoped object")),
  });
