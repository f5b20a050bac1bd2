import { bool, free, int32, list, obj, opt, str } from "@trivium/schema";

const recommendedDeployment = obj("A deployment of the model that its publisher recommends", {
  gpuModel: opt(str("GPU model")),
  gpuCount: opt(int32("Number of GPUs")),
  precision: opt(str("Numeric precision")),
  metric: opt(str("Optimization goal")),
  description: opt(str("Description by the publisher")),
  profileId: opt(str("Profile to use, if the publisher specifies one")),
});

/** What the labels of a container image say. */
export const imageMetadata = (description: string) =>
  obj(description, {
    model: opt(
      obj("Model metadata from the labels", {
        canonicalName: opt(str("Canonical name of the model, organization/name")),
        source: opt(str("URL where the model is published")),
        tags: opt(list("Tags that describe the model", str(""))),
        versions: opt(list("Available versions", str(""))),
        variants: opt(list("Available variants", str(""))),
        hfTokenRequired: opt(bool("Whether downloading the weights requires a Hugging Face token")),
        title: opt(str("Display title")),
        descriptionFull: opt(str("Full description")),
        releaseNotes: opt(str("Release notes")),
        recommendedDeployments: opt(list("Deployments that the publisher recommends", recommendedDeployment)),
      }),
    ),
    oci: opt(
      obj("Metadata from the standard OCI image labels", {
        title: opt(str("Title of the image")),
        description: opt(str("Short description")),
        licenses: opt(str("Licenses, as SPDX identifiers")),
        vendor: opt(str("Vendor of the image")),
        authors: opt(str("Contact for the image")),
        source: opt(str("URL of the source code")),
        documentation: opt(str("URL of the documentation")),
        created: opt(str("Build time")),
        revision: opt(str("Source revision of the build")),
        version: opt(str("Version of the image")),
      }),
    ),
    originalLabels: opt(free("All original labels of the image")),
  });
