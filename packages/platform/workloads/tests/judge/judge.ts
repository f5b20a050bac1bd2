import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
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

/** Plays a course on both sides at the same time, and fails with the difference of what is to be seen afterwards. */
export async function judge(sides: Sides, scenario: Scenario): Promise<void> {
  const players = await Promise.all([playOn(sides.real, scenario), playOn(sides.embedded, scenario)]);
  for (const end = Date.now() + patience; ; ) {
    const [real, embedded] = await Promise.all(players.map((player) => outcomeOf(player, scenario)));
    if (Date.now() < end && !isDeepStrictEqual(embedded, real)) continue;
    assert.deepEqual(embedded, real, `${scenario.name}: embedded (actual) differs from real (expected)`);
    return;
  }
}

async function playOn(side: Side, scenario: Scenario): Promise<Player> {
  const player = await playerOn(side, scenario.name);
  await scenario.play(player);
  return player;
}

async function outcomeOf({ side, notes }: Player, scenario: Scenario): Promise<Outcome> {
  return { ...(await takePicture(side.client, scenario.name, scenario.eye)), notes };
}
