import { bool, free, int32, list, obj, opt, str } from "@trivium/schema";

const recommendedDeployment = obj("A way to run the model that its publisher recommends", {
  gpuModel: opt(str("GPU model")),
  gpuCount: opt(int32("Number of GPUs")),
  precision: opt(str("Numeric precision")),
  metric: opt(str("What it is optimised for")),
  description: opt(str("What the publisher says of it")),
  profileId: opt(str("Profile to use, where the publisher names one")),
});

/** What the labels of a container image say. */
export const imageMetadata = (description: string) =>
  obj(description, {
    model: opt(
      obj("What the labels say of the model", {
        canonicalName: opt(str("Identity of the model, organisation/name")),
        source: opt(str("Address where the model is published")),
        tags: opt(list("Words that describe it", str(""))),
        versions: opt(list("Versions there are", str(""))),
        variants: opt(list("Variants there are", str(""))),
        hfTokenRequired: opt(bool("Whether fetching the weights needs a Hugging Face token")),
        title: opt(str("Title for people")),
        descriptionFull: opt(str("Full description")),
        releaseNotes: opt(str("Notes on this release")),
        recommendedDeployments: opt(list("Ways to run it that the publisher recommends", recommendedDeployment)),
      }),
    ),
    oci: opt(
      obj("What the standard image labels say", {
        title: opt(str("Title of the image")),
        description: opt(str("Short description")),
        licenses: opt(str("Licences, as SPDX names")),
        vendor: opt(str("Who made the image")),
        authors: opt(str("Whom to write to")),
        source: opt(str("Address of its source code")),
        documentation: opt(str("Address of its documentation")),
        created: opt(str("When it was built")),
        revision: opt(str("Revision it was built from")),
        version: opt(str("Version of the image")),
      }),
    ),
    originalLabels: opt(free("All labels as they were found")),
  });
