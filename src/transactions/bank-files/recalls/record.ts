import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'
import type { DepositService } from '../../deposits/service.ts'
import { listBankAccounts } from '../../treasury/bank-account-store.ts'
import { withoutPlaceholder } from '../entries/identity.ts'
import { identifyPart } from '../entries/part.ts'
import type { RecallRecord } from '../formats.ts'
import { chooseRecalled } from './choose.ts'
import * as store from './store.ts'

export type RecallDeps = {
  identityKey: Buffer
  deposits: Pick<DepositService, 'changeRecalls'>
  onRecall(recall: { bankRecallId: string; code: string }): void
}

/** Records that a bank wants a payment back, once, and holds its deposit. */
export async function recordRecall(deps: RecallDeps, tx: Tx, bankFileId: string, told: RecallRecord): Promise<void> {
  const { recallId, amount, code } = told
  const detail = withoutPlaceholder(told.detail)
  const accounts = (await listBankAccounts(tx)).filter(({ currency }) => currency === (amount?.currency ?? currency))
  const identities = accounts.map(({ bankAccountId }) =>
    identifyPart(deps.identityKey, bankAccountId, { place: 1, amount: amount?.units ?? 0n, detail }, null),
  )
  const bankRecallId = newId()
  const isNew = await store.insertRecall(tx, {
    bankRecallId,
    recallId,
    bankFileId,
    currency: amount?.currency ?? null,
    amount: amount?.units ?? null,
    code,
    // A bank without ids of the networks names the payment by its own reference.
    bankReference: detail.references.transactionId ?? null,
    networkHashes: identities.flatMap(({ networkHashes }) => networkHashes),
    // Ids that the payer chose count only with the amount.
    payerHashes: amount ? identities.flatMap(({ payerHashes }) => payerHashes) : [],
  })
  if (!isNew) return
  deps.onRecall({ bankRecallId, code })
  await link(deps, tx, await store.findRecalled(tx, bankRecallId))
}

/** Finds the recalls that name a transaction of new entries. A recall may come before the statement of the day. */
export async function linkRecalls(deps: RecallDeps, tx: Tx, bankEntryIds: readonly string[]): Promise<void> {
  if (bankEntryIds.length > 0) await link(deps, tx, await store.findRecalls(tx, bankEntryIds))
}

async function link({ deposits }: RecallDeps, tx: Tx, found: readonly store.RecalledPart[]): Promise<void> {
  for (const [bankRecallId, parts] of Map.groupBy(found, (part) => part.bankRecallId)) {
    const recalled = chooseRecalled(parts)
    if (recalled.length > 0)
      await deposits.changeRecalls(tx, recalled, () => store.linkRecall(tx, bankRecallId, recalled))
  }
}
