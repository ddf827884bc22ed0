import type { FiatRail } from '../../../catalog/currencies.ts'
import type { Tx } from '../../../db/database.ts'
import type { DepositService } from '../../deposits/service.ts'
import type { ScreenedSender } from '../../deposits/sightings/sighting.ts'
import { findTransferMessage } from '../../deposits/transfer-message.ts'
import type { BankAccount } from '../../treasury/bank-account.ts'
import type { AccountName, EntryRecord } from '../formats.ts'
import { type Part, partsOf } from './entry.ts'
import type { EntryMeaning, NewEntry } from './entry-store.ts'
import type { SenderPolicy } from './sender.ts'

export type CreditDeps = {
  deposits: Pick<DepositService, 'recordSighting' | 'hashDetails'>
  senders: SenderPolicy
  screenSender(sender: { method: FiatRail; book: string; name?: string }): Promise<ScreenedSender>
  /** Finds the virtual account of a customer; undefined when there is none, or more than one fits. */
  findVirtualAccount(tx: Tx, named: AccountName & { currency: string }): Promise<string | undefined>
}

/** A part of a credit with what was found out about its sender outside the database transaction. */
export type ScreenedPart = Part & { sender: ScreenedSender; isSenderMismatch: boolean }

/** Screens the senders of a credit, before its database transaction. */
export async function screenParts(deps: CreditDeps, account: BankAccount, told: EntryRecord): Promise<ScreenedPart[]> {
  if (told.direction !== 'CREDIT') return []
  const screened: ScreenedPart[] = []
  for (const part of partsOf(told)) {
    const { name } = part.detail.counterparty
    const named = name === undefined ? {} : { name }
    const sender = await deps.screenSender({ method: methodOf(account), book: account.bankAccountId, ...named })
    const isSenderMismatch = await deps.senders.isMismatch(findMessage(textsOf(part)), name)
    screened.push({ ...part, sender, isSenderMismatch })
  }
  return screened
}

/** A deposit names one rail of the account that it arrived at; which one makes no difference to its owner. */
export function methodOf({ rails }: BankAccount): FiatRail {
  const [rail] = rails
  if (!rail) throw new Error('a bank account serves no rail')
  return rail
}

/** Turns a booked credit into sightings: one for each of its transactions. */
export function recordCredit(
  deps: CreditDeps,
  tx: Tx,
  credit: { account: BankAccount; entry: NewEntry; told: EntryRecord; parts: readonly ScreenedPart[] },
): EntryMeaning {
  const externalId = externalIdOf(credit.entry)
  const isSingle = credit.parts.length === 1
  const after = credit.parts.map((part) => () => {
    const id = isSingle ? externalId : `${externalId}/${part.place}`
    return recordPart(deps, tx, { ...credit, part, externalId: id, doubt: '' })
  })
  return { outcome: 'DEPOSIT', externalId, after }
}

/** Keeps a credit out of the books that may be one that is known: a person decides whether it is another one. */
export function quarantineCredit(
  deps: CreditDeps,
  tx: Tx,
  credit: { account: BankAccount; entry: NewEntry; told: EntryRecord; parts: readonly ScreenedPart[] },
  knownId: string,
): EntryMeaning {
  const doubt = `${credit.entry.statementKey}:${credit.entry.position}`
  const after = credit.parts.map((part) => () => recordPart(deps, tx, { ...credit, part, externalId: knownId, doubt }))
  return { outcome: 'QUARANTINED', after }
}

function externalIdOf({ bankReference, statementKey, position }: NewEntry): string {
  return bankReference ?? `${statementKey}:${position}`
}

type CreditPart = { account: BankAccount; told: EntryRecord; part: ScreenedPart; externalId: string; doubt: string }

async function recordPart(deps: CreditDeps, tx: Tx, { account, told, part, externalId, doubt }: CreditPart) {
  const { counterparty, ownAccount } = part.detail
  const texts = textsOf(part)
  const { currency, bankAccountId: book } = account
  const named = ownAccount ?? told.account
  const message = findMessage(texts) ?? null
  const virtualAccountId = (await deps.findVirtualAccount(tx, { ...named, currency })) ?? null
  const credit = { book, externalId, asset: currency, amount: part.amount, message, sender: counterparty.account }
  if (doubt === '' && virtualAccountId === null) await deps.senders.suggest(tx, credit)
  return deps.deposits.recordSighting(tx, {
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
    state: 'FINAL',
    block: null,
    observedAt: null,
  })
}

function textsOf({ detail: { remittance, creditorReferences, references } }: Part): string[] {
  return [...remittance, ...creditorReferences, references.endToEndId ?? '', references.instructionId ?? '']
}

/** Finds the message in one of the texts, or in all of them joined: banks break long texts into lines. */
function findMessage(texts: readonly string[]): string | undefined {
  for (const text of [...texts, texts.join('')]) {
    const found = findTransferMessage(text)
    if (found) return found
  }
  return undefined
}
