import type { PaymentMethod } from '../../../catalog/payment-methods.ts'
import { readClock } from '../../../db/business-clock.ts'
import type { Declined, Rail, SubmitOutcome } from '../../payouts/rail.ts'
import type { OutgoingBankFile } from '../bank-file.ts'
import { answerFrom } from './answer.ts'
import * as files from './file-store.ts'
import { findPayment, readItems, readReturns } from './item-store.ts'
import { type PrepareDeps, prepareFiles } from './prepare.ts'
import { finishRelease, type ReleaseDeps, releaseFile, withdrawFile } from './release.ts'

export const bankFilesRail = 'bank files'

export type BankRailDeps = PrepareDeps &
  ReleaseDeps & {
    methods: readonly PaymentMethod[]
    validSeconds: number
  }

const batchSize = 1_000

/** The payments of a file that lapsed or was rejected become due together, so that they share the next one. */
const collectSeconds = 3

/** The time after which payments are tried that the folders cannot take now. */
const pauseMs = 60_000

const notNow = (reference: string, until: Date, why: string): Declined => ({
  reference,
  outcome: 'NOT_NOW',
  until,
  why,
})

/**
 * The rail that pays through files. It answers from what is recorded alone: the bank's messages are recorded first, each
 * once, by the job that reads them.
 */
export function createBankRail(deps: BankRailDeps): Rail {
  const { database, exchange, methods, validSeconds } = deps
  return {
    name: bankFilesRail,
    methods,
    capabilities: { batchSize, validSeconds, collectSeconds },

    prepare: async (orders) => {
      const { now } = await readClock(database)
      const problem = await exchange.findProblem()
      if (problem === undefined) return prepareFiles(deps, orders, now)
      const until = new Date(now.getTime() + pauseMs)
      return { batches: [], declined: orders.map(({ reference }) => notNow(reference, until, problem)) }
    },

    submit: async ({ batchId, content, items }, { signal }) => {
      signal.throwIfAborted()
      const problem = await exchange.findProblem()
      if (problem !== undefined) return items.map(() => ({ outcome: 'UNKNOWN', why: problem }))
      const file = await findKnown(batchId)
      const left = await releaseFile(deps, file, content, signal)
      const outcome: SubmitOutcome =
        left?.status === 'RELEASED'
          ? { outcome: 'ACCEPTED' }
          : { outcome: 'UNKNOWN', why: `the file is ${left?.status}` }
      return items.map(() => outcome)
    },

    ask: async ({ reference, shortReference }, attempts) => {
      const known: OutgoingBankFile[] = []
      for (const { batchId } of attempts) {
        const file = await settle(await findKnown(batchId))
        if (file) known.push(file)
      }
      const [items, payment, returns] = await Promise.all([
        readItems(database, reference),
        findPayment(database, shortReference),
        readReturns(database, shortReference),
      ])
      return answerFrom({ files: known, items, payment, returns })
    },

    withdraw: async (_order, attempts) => {
      let mayLeave = false
      for (const { batchId } of attempts) {
        const file = await findKnown(batchId)
        const isWithdrawn = file.status === 'RELEASED' || (await withdrawFile(deps, file))
        const now = isWithdrawn ? undefined : await findKnown(batchId)
        if (now?.status === 'PREPARED' || now?.status === 'STAGED') mayLeave = true
      }
      return !mayLeave
    },
  }

  async function findKnown(batchId: string): Promise<OutgoingBankFile> {
    const file = await files.findFile(database, batchId)
    if (!file) throw new Error(`the file ${batchId} is not recorded`)
    return file
  }

  /** Finishes a release that was interrupted, and lets a file lapse whose time is over. */
  async function settle(file: OutgoingBankFile): Promise<OutgoingBankFile | undefined> {
    if (file.status === 'STAGED') return finishRelease(deps, file)
    if (file.status !== 'PREPARED' || !file.isOverdue) return file
    await withdrawFile(deps, file)
    return files.findFile(database, file.messageId)
  }
}
