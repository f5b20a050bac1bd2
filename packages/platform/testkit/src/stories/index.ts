export { type ClusterOptions, clusterGround } from "./cluster-ground.ts";
export { differencesOf } from "./compare.ts";
export { type EmbeddedOptions, embeddedGround } from "./embedded-ground.ts";
export type { Ground, OpenGround, Operator } from "./ground.ts";
export { LeapingClock } from "./leaping-clock.ts";
export { playStory } from "./play.ts";
export type { GivenAnswers } from "./staged-answers.ts";
export { type Given, readStories, type Step, type Story, type StoryNode } from "./story.ts";
export { withinNamespace } from "./within-namespace.ts";
