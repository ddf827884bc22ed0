import fc from 'fast-check'
import type { TestApi } from '../runner/api.ts'
import type { Model } from './model.ts'
import { play, startRun } from './play.ts'
import { playQuietPhase } from './quiet.ts'
import type { Run } from './run.ts'
import { stories } from './stories.ts'
import { type Step, step, type Wish } from './wishes.ts'
import { abandon, makeWorld } from './world.ts'

/** Plays commands in a new world and then its quiet phase. A run in which money goes wrong throws a Violation. */
export async function playWishes(api: TestApi, wishes: readonly Wish[]): Promise<void> {
  await inNewWorld(api, async (run) => {
    for (const each of wishes) await play(run, each)
    await playQuietPhase(run)
  })
}

const mostSteps = 50

/** The beginning of a story, from which random commands go on: chance alone rarely comes that far. */
const beginning: fc.Arbitrary<readonly Wish[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...Object.values(stories)), fc.nat({ max: 10 }))
      .map(([story, length]) => story.slice(0, length)),
  },
)

/** Random commands in random order, with or without money of our own to pay out from. */
export function moneyProperty(api: TestApi) {
  const commands = fc.commands([step.map((each) => new StepCommand(each))], { maxCommands: mostSteps, size: 'max' })
  return fc.asyncProperty(fc.boolean(), beginning, commands, (isFunded, told, chosen) =>
    inNewWorld(api, async (run) => {
      if (isFunded)
        for (const who of ['ann', 'cem'] as const)
          await play(run, { do: 'fund', who, what: 'everything', amount: '1000.00' })
      for (const each of told) await play(run, each)
      await fc.asyncModelRun(() => ({ model: run.model, real: run }), chosen)
      await playQuietPhase(run)
    }),
  )
}

class StepCommand implements fc.AsyncCommand<Model, Run> {
  readonly step: Step
  constructor(step: Step) {
    this.step = step
  }
  check() {
    return true
  }
  async run(_: Model, run: Run): Promise<void> {
    for (const wish of this.step) await play(run, wish)
  }
  toString(): string {
    return this.step.map((wish) => JSON.stringify(wish)).join()
  }
}

async function inNewWorld(api: TestApi, act: (run: Run) => Promise<void>): Promise<void> {
  const world = await makeWorld(api)
  try {
    await act(await startRun(world))
  } finally {
    await abandon(world)
  }
}
