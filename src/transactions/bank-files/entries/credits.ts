import type { FiatRail } from '../../../catalog/currencies.ts'
import type { Tx } from '../../../db/database.ts'
import type { DepositService } from '../../deposits/service.ts'
import type { NewSighting, ScreenedSender } from '../../deposits/sightings/sighting.ts'
import type { BankAccount } from '../../treasury/bank-account.ts'
import type { AccountName, EntryRecord } from '../formats.ts'
import { findMessages, textsOf } from '../recognition/message.ts'
import { recognizeAmong } from '../recognition/sameness.ts'
import { findCovering } from './collective-store.ts'
import { type EntryOutcome, type Part, partsOf, type Recognition, railOf } from './entry.ts'
import type { EntryMeaning, NewEntry } from './entry-store.ts'
import { identifyPart } from './part.ts'
import { findKnownParts, insertPart } from './part-store.ts'
import type { SenderPolicy } from './sender.ts'
import type { ExpectedSource, Suggestion } from './sender-store.ts'

export type CreditDeps = {
  deposits: Pick<
    DepositService,
    'recordSighting' | 'quarantineSighting' | 'dismissQuarantined' | 'announceQuarantined' | 'hashDetails'
  >
  senders: SenderPolicy
  identityKey: Buffer
  screenSender(sender: { method: FiatRail; book: string; name?: string }): Promise<ScreenedSender>
  /** Finds the virtual account of a customer; undefined when there is none, or more than one fits. */
  findVirtualAccount(tx: Tx, named: AccountName & { currency: string }): Promise<string | undefined>
}

/** A part of a credit with what was found out about its sender outside the database transaction. */
export type ScreenedPart = Part & {
  sender: ScreenedSender
  /** The virtual account that it was sent to, with its customer. */
  receiver?: ExpectedSource
  isSenderMismatch: boolean
  /** Transfer messages in its texts; several when they name different known transactions. */
  messages: readonly string[]
  /** Owners that it may have, for a person who looks for them. */
  suggestions: readonly Suggestion[]
}

/** Screens the senders of a credit, before its database transaction. */
export async function screenParts(deps: CreditDeps, account: BankAccount, told: EntryRecord): Promise<ScreenedPart[]> {
  if (told.direction !== 'CREDIT') return []
  const screened: ScreenedPart[] = []
  for (const part of partsOf(told)) {
    const { name } = part.detail.counterparty
    const named = name === undefined ? {} : { name }
    const sender = await deps.screenSender({ method: methodOf(account), book: account.bankAccountId, ...named })
    const receiver = await deps.senders.findReceiver(receiverOf(account, told, part))
    const { messages, rivals } = await deps.senders.findNamed(findMessages(part.detail), receiver)
    const message = messages.length === 1 ? messages[0] : undefined
    const isSenderMismatch = await deps.senders.isMismatch({ message, name, receiver })
    const found = await deps.senders.suggest({
      book: account.bankAccountId,
      asset: account.currency,
      amount: part.amount,
      message: message ?? null,
      sender: part.detail.counterparty.account,
      name,
    })
    const suggestions = rivals.length > 0 ? rivals : found
    screened.push({ ...part, sender, ...(receiver ? { receiver } : {}), isSenderMismatch, messages, suggestions })
  }
  return screened
}

export const virtualAccountOf = ({ receiver }: ScreenedPart): string | undefined => receiver?.paymentAccountId

/** The account that a payer sent money to: a virtual one that the transaction names, else that of the message. */
function receiverOf({ currency }: BankAccount, told: EntryRecord, { detail }: Part) {
  return { ...(detail.ownAccount ?? told.account), currency }
}

/**
 * Names a deposit by one rail of the account that it arrived at, so that every file about it says the same. Which one makes
 * no difference to its owner. Answers show the rail that the bank tells.
 */
export function methodOf({ rails }: BankAccount): FiatRail {
  const [rail] = rails
  if (!rail) throw new Error('a bank account serves no rail')
  return rail
}

export type Credit = {
  account: BankAccount
  entry: NewEntry
  told: EntryRecord
  parts: readonly ScreenedPart[]
  /** The name of the entry, which no other one has. */
  externalId: string
  /** References of payments of ours that transactions name without being marked as returns. */
  ours: ReadonlySet<string>
  /** Records the transactions that return payments of ours, by their place. */
  returns?: ReadonlyMap<number, (isDoubtful: boolean) => Promise<unknown>>
}

/**
 * Turns a booked credit into sightings: one for each of its transactions that no other message told. A transaction that
 * may be a known one stays out of the books: a person decides whether it is another one.
 */
export async function recordCredit(
  deps: CreditDeps,
  tx: Tx,
  credit: Credit,
  recognition: Recognition,
  untold: { isDoubtful: boolean; batchHashes: Buffer[] } = { isDoubtful: false, batchHashes: [] },
): Promise<EntryMeaning> {
  const { entry, parts, externalId, returns, ours } = credit
  const likely = recognition.is === 'DOUBTFUL' ? (recognition.known.externalId ?? externalId) : undefined
  const covering = entry.untoldCount === null ? await findCovering(tx, entry) : undefined
  const doubted = likely ?? covering ?? (untold.isDoubtful ? externalId : undefined)
  const taken: string[] = []
  const repeated: string[] = []
  const outcomes = new Set<EntryOutcome>()
  const after: (() => Promise<unknown>)[] = []
  for (const part of parts) {
    const reference = parts.length === 1 ? entry.bankReference : null
    const identified = identifyPart(deps.identityKey, entry.bankAccountId, part, reference, virtualAccountOf(part))
    const identity = { ...identified, batchHashes: [...identified.batchHashes, ...untold.batchHashes] }
    const found = recognizeAmong(await findKnownParts(tx, entry, identity, taken))
    const ownId = parts.length === 1 ? externalId : `${externalId}/${part.place}`
    if (found.is === 'REPEATED') {
      const { bankEntryId, place, externalId: knownId } = found.known
      taken.push(`${bankEntryId}/${place}`)
      repeated.push(bankEntryId)
      outcomes.add('REPEATED')
      after.push(() => insertPart(tx, entry, { ...identity, externalId: knownId, repeats: { bankEntryId, place } }))
      continue
    }
    const likeId = found.is === 'DOUBTFUL' ? found.known.externalId : doubted
    const giveBack = returns?.get(part.place)
    if (giveBack) {
      outcomes.add('RETURN')
      after.push(
        () => giveBack(likeId !== undefined),
        () => insertPart(tx, entry, { ...identity, externalId: ownId }),
      )
      continue
    }
    // A return of a payment that we did not send, or an unmarked one, is no new money before a person says so.
    const isReturn = identity.isReturn || ours.has(part.detail.references.endToEndId ?? '')
    const knownId = likeId ?? (isReturn ? ownId : undefined)
    outcomes.add(knownId === undefined ? 'DEPOSIT' : 'QUARANTINED')
    after.push(async () => {
      const kept =
        knownId === undefined
          ? await recordPart(deps, tx, { ...credit, part, externalId: ownId })
          : await quarantinePart(deps, tx, { ...credit, part, externalId: knownId })
      await insertPart(tx, entry, { ...identity, externalId: kept })
    })
  }
  const [repeats] = repeated
  if (outcomes.has('DEPOSIT')) return { outcome: 'DEPOSIT', externalId, after }
  if (outcomes.has('QUARANTINED')) return { outcome: 'QUARANTINED', externalId, after }
  if (outcomes.has('RETURN') || repeats === undefined) return { outcome: 'RETURN', externalId, after }
  return { outcome: 'REPEATED', repeats, after }
}

type CreditPart = { account: BankAccount; entry: NewEntry; told: EntryRecord; part: ScreenedPart; externalId: string }

/** Records a transaction; answers the external id of its deposit. */
async function recordPart(deps: CreditDeps, tx: Tx, credit: CreditPart): Promise<string> {
  const outcome = await deps.deposits.recordSighting(tx, await sightingOf(deps, tx, credit, ''))
  if (outcome !== 'RECORDED') throw new Error(`the sighting ${credit.externalId} was ${outcome}, not recorded`)
  return credit.externalId
}

/** Quarantines a transaction; answers the external id that its deposit has once a person accepts it. */
async function quarantinePart(deps: CreditDeps, tx: Tx, credit: CreditPart): Promise<string> {
  // Equal transactions are kept apart by their places.
  const doubt = `${credit.entry.bankEntryId}/${credit.part.place} `
  // The end of the file may explain one whose transactions are not told.
  const isAnnounced = credit.entry.untoldCount === null
  return deps.deposits.quarantineSighting(tx, await sightingOf(deps, tx, credit, doubt), isAnnounced)
}

async function sightingOf(
  deps: CreditDeps,
  tx: Tx,
  { account, told, part, externalId }: CreditPart,
  doubt: string,
): Promise<NewSighting> {
  const { counterparty } = part.detail
  const texts = textsOf(part.detail)
  const { currency, bankAccountId: book } = account
  const virtualAccountId = (await deps.findVirtualAccount(tx, receiverOf(account, told, part))) ?? null
  const [first = null, second] = part.messages
  // Messages of several transactions select none of them. A virtual account has its owner, unless the first message
  // names another customer.
  const message = second === undefined || virtualAccountId !== null ? first : null
  if (doubt === '' && virtualAccountId === null && part.suggestions.length > 0)
    await deps.senders.keep(tx, { book, externalId }, part.suggestions)
  return {
    method: methodOf(account),
    book,
    externalId,
    asset: currency,
    amount: String(part.amount),
    message,
    address: null,
    virtualAccountId,
    // A registered account alone does not make its customer the owner of money.
    senderAccountId: null,
    detailsHash: deps.deposits.hashDetails(`${doubt}${texts.join('\n')}`, counterparty.name ?? ''),
    fromAddress: null,
    ...part.sender,
    isSenderMismatch: part.isSenderMismatch,
    rail: railOf(told, account.rails) ?? null,
    state: 'FINAL',
    block: null,
    observedAt: null,
  }
}
