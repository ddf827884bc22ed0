import type { Tx } from '../../../db/database.ts'
import type { EntryRecord } from '../formats.ts'
import { noTraits } from '../recognition/traits.ts'
import * as store from './collective-store.ts'
import { type Credit, type CreditDeps, recordCredit } from './credits.ts'
import type { Recognition } from './entry.ts'
import { type EntryMeaning, moveEntry, type NewEntry } from './entry-store.ts'
import { hashBatch } from './part.ts'
import { insertPart } from './part-store.ts'

/** EXPLAINED: other entries told all its transactions. IN_DOUBT: they may have told some. */
type Explanation = { is: 'EXPLAINED'; by: readonly store.Candidate[]; isByDay: boolean } | { is: 'IN_DOUBT' | 'NEW' }

/**
 * Compares a collective entry without its transactions with those that other messages told: under its reference, in its
 * batch, or all of its day with its number and sum. Without a number, the sum of a day is a doubt and no proof.
 */
export function explain(amount: bigint, count: number, candidates: readonly store.Candidate[]): Explanation {
  const isWhole = (parts: readonly store.Candidate[]) =>
    sumOf(parts) === amount && (count === 0 || parts.length === count)
  for (const named of [candidates.filter(isByReference), candidates.filter(({ isByBatch }) => isByBatch)]) {
    if (named.length > 0) return isWhole(named) ? { is: 'EXPLAINED', by: named, isByDay: false } : { is: 'IN_DOUBT' }
  }
  const ofDay = candidates.filter(({ isSameDay }) => isSameDay)
  if (count > 1) return isWhole(ofDay) ? { is: 'EXPLAINED', by: ofDay, isByDay: true } : { is: 'IN_DOUBT' }
  const smaller = ofDay.filter((part) => BigInt(part.amount) < amount)
  return smaller.length > 1 && sumOf(smaller) >= amount ? { is: 'IN_DOUBT' } : { is: 'NEW' }
}

const isByReference = (part: store.Candidate) => part.isByReference
const sumOf = (parts: readonly store.Candidate[]) => parts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)

/**
 * Records a credit whose transactions its message does not tell. It is money only if no other message told it: a
 * collective entry waits in quarantine until its transactions are known, or an operator decides. All credits of its day
 * explain it only when the file is read to its end: the rest of the file may tell those, too.
 */
export async function recordUntold(
  deps: CreditDeps,
  tx: Tx,
  credit: Credit,
  recognition: Recognition,
): Promise<EntryMeaning> {
  const { entry, told } = credit
  const count = entry.untoldCount ?? 0
  const batchHashes = batchHashesOf(deps, entry, told)
  const explained = explain(entry.amount, count, await store.findCandidates(tx, { ...entry, batchHashes }))
  if (explained.is === 'EXPLAINED' && !explained.isByDay)
    return { outcome: 'REPEATED', after: [() => insertParts(tx, entry, explained.by, 1)] }
  return recordCredit(deps, tx, credit, recognition, { isDoubtful: explained.is !== 'NEW', batchHashes })
}

function batchHashesOf({ identityKey }: CreditDeps, { bankAccountId }: NewEntry, { batch }: EntryRecord): Buffer[] {
  return hashBatch(identityKey, bankAccountId, [batch?.paymentInformationId])
}

async function insertParts(
  tx: Tx,
  entry: Pick<NewEntry, 'bankEntryId' | 'bankAccountId'>,
  parts: readonly store.Candidate[],
  from: number,
): Promise<void> {
  for (const [at, { bankEntryId, place, amount, externalId }] of parts.entries()) {
    await insertPart(tx, entry, {
      place: from + at,
      amount: BigInt(amount),
      bankReference: null,
      networkHashes: [],
      uetrHash: null,
      transactionHash: null,
      isReturn: false,
      payerHashes: [],
      textHash: null,
      endToEndHash: null,
      traits: noTraits,
      batchHashes: [],
      externalId,
      repeats: { bankEntryId, place },
    })
  }
}

/** Ends the quarantine of collective entries whose transactions are all known now that a file is read to its end. */
export async function explainWaiting(deps: CreditDeps, tx: Tx, bankFileId: string): Promise<void> {
  for (const waiting of await store.listWaiting(tx, bankFileId)) {
    const candidates = await store.findCandidates(tx, waiting)
    const explained = explain(BigInt(waiting.amount), waiting.untoldCount, candidates)
    if (explained.is !== 'EXPLAINED') continue
    // An operator may have accepted it before.
    if (!(await deps.deposits.dismissQuarantined(tx, waiting.externalId))) continue
    await moveEntry(tx, waiting.bankEntryId, 'QUARANTINED', 'REPEATED')
    await insertParts(tx, waiting, explained.by, 2)
  }
}

/** Announces the collective entries of a file that are in quarantine. */
export async function announceUntold(deps: CreditDeps, tx: Tx, bankFileId: string): Promise<void> {
  for (const { method, book, externalId } of await store.listUntoldInQuarantine(tx, bankFileId))
    deps.deposits.announceQuarantined({ method, book, externalId })
}
