import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'
import type { DepositService } from '../../deposits/service.ts'
import { listBankAccounts } from '../../treasury/bank-account-store.ts'
import { identifyPart } from '../entries/part.ts'
import { chooseReversed } from '../entries/reversed.ts'
import type { RecallRecord } from '../formats.ts'
import * as store from './store.ts'

export type RecallDeps = {
  identityKey: Buffer
  deposits: Pick<DepositService, 'noteRecall'>
  onRecall(recall: { bankRecallId: string; code: string }): void
}

/** Records that a bank wants a payment back, once, and holds its deposit. */
export async function recordRecall(deps: RecallDeps, tx: Tx, bankFileId: string, told: RecallRecord): Promise<void> {
  const { recallId, amount, code, detail } = told
  const accounts = (await listBankAccounts(tx)).filter(({ currency }) => currency === amount.currency)
  const identities = accounts.map(({ bankAccountId }) =>
    identifyPart(deps.identityKey, bankAccountId, { place: 1, amount: amount.units, detail }, null),
  )
  const bankRecallId = newId()
  const isNew = await store.insertRecall(tx, {
    bankRecallId,
    recallId,
    bankFileId,
    currency: amount.currency,
    amount: amount.units,
    code,
    // A bank without ids of the networks names the payment by its own reference.
    bankReference: detail.references.transactionId ?? null,
    networkHashes: identities.flatMap(({ networkHashes }) => networkHashes),
    payerHashes: identities.flatMap(({ payerHashes }) => payerHashes),
  })
  if (!isNew) return
  deps.onRecall({ bankRecallId, code })
  await linkRecalls(deps, tx)
}

/** Finds the payments of recalls that no entry fitted so far. A recall may come before the statement of the day. */
export async function linkRecalls({ deposits }: RecallDeps, tx: Tx): Promise<void> {
  for (const { bankRecallId } of await store.listUnlinked(tx)) {
    const found = chooseReversed(await store.findRecalled(tx, bankRecallId))
    if (!found) continue
    await store.linkRecall(tx, bankRecallId, found)
    await deposits.noteRecall(tx, found)
  }
}
