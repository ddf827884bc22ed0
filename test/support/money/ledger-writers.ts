import { onTestFinished } from 'vitest'
import { createAudit } from '../../../src/db/audit/audit.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { verify } from '../../../src/db/verify.ts'
import type { NewPosting } from '../../../src/ledger/posting.ts'
import * as facts from '../../../src/ledger/postings.ts'
import { createLedgerService } from '../../../src/ledger/service.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createPages } from '../../../src/lib/pages.ts'
import { asTx } from '../db/as-tx.ts'
import type { TestDatabase } from '../runner/database.ts'

export const writerCount = 64
export const asset = 'USDC/BASE'

export type LedgerWriters = ReturnType<typeof makeLedgerWriters>

/** Many concurrent writers to the ledger of one organization. */
export function makeLedgerWriters(where: TestDatabase) {
  const database = openDatabase({ ...where.app, connections: 24 })
  onTestFinished(() => database.close())
  const key = Buffer.alloc(32)
  const ledger = createLedgerService({ database, pages: createPages(key), audit: createAudit(key), onHalted: () => {} })
  const organizationId = newId()
  const post = async (postings: Omit<NewPosting, 'organizationId'>[]) =>
    (
      await ledger.post(
        asTx(database),
        postings.map((each) => ({ organizationId, ...each })),
      )
    ).map(({ outcome }) => outcome)
  const deposit = (to: string, amount: bigint) =>
    post([{ reference: newId(), ...facts.depositToWallet({ paymentAccountId: to, asset, amount }) }])
  const spend = (from: string, amount: bigint, reference = newId()) => ({
    reference,
    ...facts.captureFromWallet({ paymentAccountId: from, asset, amount }),
  })
  const reserveAll = async (wanted: { from: string; amount?: bigint; reference?: string }[]) => {
    const reserves = wanted.map(({ from, amount = 1n, reference = newId() }) => ({
      organizationId,
      reference,
      amount,
      account: facts.walletOf(from, asset),
    }))
    return (await ledger.reserve(asTx(database), reserves)).map(({ outcome }) => outcome)
  }
  const reserve = async (from: string, amount: bigint, reference = newId()) =>
    (await reserveAll([{ from, amount, reference }]))[0]
  const balance = async (of: string) => (await ledger.balances(database, organizationId, of))[0]
  const isWhole = async () => {
    const { ok, checks } = await verify(database, ledger.checks)
    const notChecked = checks.filter(({ state }) => state === 'NOT_CHECKED')
    if (notChecked.length > 0) throw new Error(notChecked.map(({ name, error }) => `${name}: ${error}`).join('; '))
    return ok
  }
  const inParallel = <Result>(act: (number: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: writerCount }, (_, number) => act(number)))
  return { database, ledger, organizationId, post, deposit, spend, reserve, reserveAll, balance, isWhole, inParallel }
}
