import assert from "node:assert/strict";
import { inspect, isDeepStrictEqual } from "node:util";
import { type Eye, type Picture, takePicture } from "./observe.ts";
import { type Player, playerOn, type Side, type Sides } from "./side.ts";

/** Something a user does, played on both sides in a namespace of its own. */
export interface Scenario {
  readonly name: string;
  readonly eye: Eye;
  play(player: Player): Promise<void>;
}

export interface Outcome extends Picture {
  readonly notes: Readonly<Record<string, unknown>>;
}

/** On a busy machine a controller can be silent for longer than a course needs to count as over: a difference counts when it stays. */
const patience = 120_000;

/** What was noted on the way depends on the moment (a condition that comes and goes, an Event of a repair): it counts when it comes again. */
const performances = 3;

/** Plays a course on both sides at the same time, and fails with the difference of what is to be seen afterwards. */
export async function judge(sides: Sides, scenario: Scenario): Promise<void> {
  for (let performance = 1; performance <= performances; performance += 1) {
    const namespace = performance === 1 ? scenario.name : `${scenario.name}-${performance}`;
    const [real, embedded] = await outcomesOf(sides, scenario, namespace);
    if (isDeepStrictEqual(embedded, real)) return;
    const difference = `${scenario.name}: embedded (actual) differs from real (expected)`;
    if (performance === performances) assert.deepEqual(embedded, real, difference);
    console.log(`${difference}, performance ${performance}: ${inspect({ embedded, real }, { depth: 8 })}`);
    await Promise.all([sides.real, sides.embedded].map((side) => side.kubectl(["delete", "namespace", namespace])));
  }
}

/** The outcomes when they are equal, or when they did not become it. */
async function outcomesOf(sides: Sides, scenario: Scenario, namespace: string): Promise<Outcome[]> {
  const players = await Promise.all([sides.real, sides.embedded].map((side) => playOn(side, scenario, namespace)));
  const notesDiffer = !isDeepStrictEqual(players[0]?.notes, players[1]?.notes);
  for (const end = Date.now() + patience; ; ) {
    const outcomes = await Promise.all(players.map((player) => outcomeOf(player, scenario)));
    if (notesDiffer || Date.now() > end || isDeepStrictEqual(outcomes[0], outcomes[1])) return outcomes;
  }
}

async function playOn(side: Side, scenario: Scenario, namespace: string): Promise<Player> {
  const player = await playerOn(side, namespace);
  await scenario.play(player);
  return player;
}

async function outcomeOf({ side, notes, namespace }: Player, scenario: Scenario): Promise<Outcome> {
  return { ...(await takePicture(side.client, namespace, scenario.eye)), notes };
}
