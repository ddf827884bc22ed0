import { readClock } from '../../../db/business-clock.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { keyOf } from '../accounts.ts'
import type { EntryDetail, HeldAccount, Reason, ReceivedPayment } from '../formats.ts'
import { book, type LedgerDeps, type NewEntry, notify } from '../ledger/book.ts'
import { composeLetter, newMessageId } from '../ledger/letters.ts'
import * as store from './store.ts'

export type SettleDeps = LedgerDeps & { database: Database; accounts: () => Promise<readonly HeldAccount[]> }

const batch = 500
const daySeconds = 86_400

/** Codes of banks for returns without a code of the caller. */
const closedCodes = { NACHA: 'R02', ISO: 'AC04' } as const

/** The bank transaction code of ISO 20022 for the return of a credit transfer that we issued. */
const returnedCode = 'PMNT/ICDT/RRTN'

type Opened = store.DuePayment & { payment: ReceivedPayment }

/** Books the payments that are due, and returns those whose return is due; answers how many. */
export async function settleDue(deps: SettleDeps): Promise<number> {
  const accounts = await deps.accounts()
  return deps.database.inTx(async (tx) => {
    const due = await store.takeDuePayments(tx, batch)
    for (const account of inOrder(accounts)) {
      const ofAccount = due
        .filter((payment) => payment.account === keyOf(account))
        .map((each) => openPayment(deps, each))
      await bookPayments(
        deps,
        tx,
        account,
        ofAccount.filter(({ status }) => status === 'PENDING'),
      )
      await returnPayments(
        deps,
        tx,
        account,
        ofAccount.filter(({ status }) => status === 'BOOKED'),
      )
    }
    return due.length
  })
}

/** Two workers lock accounts in the same order. */
function inOrder(accounts: readonly HeldAccount[]): HeldAccount[] {
  return [...accounts].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

export function openPayment({ sealing }: LedgerDeps, due: store.DuePayment): Opened {
  const payment = sealing.open<ReceivedPayment>(`payment ${due.deliveryId} ${due.position}`, due.sealedPayment)
  return { ...due, payment }
}

/** Debits us, and notifies us of all but the payments whose notification gets lost. */
async function bookPayments(deps: SettleDeps, tx: Tx, account: HeldAccount, payments: Opened[]): Promise<void> {
  if (payments.length === 0) return
  const [lost, told] = [payments.filter(isLost), payments.filter((payment) => !isLost(payment))]
  await book(deps, tx, account, toEntries(lost))
  await notify(deps, tx, account, await book(deps, tx, account, toEntries(told)))
  const moved = payments.map(({ deliveryId, position, behaviour }) => ({
    deliveryId,
    position,
    returnsInSeconds: behaviour === 'RETURN' ? daySeconds : null,
  }))
  await store.movePayments(tx, moved, 'BOOKED')
}

const isLost = ({ behaviour }: Opened) => behaviour === 'LOSE_REPLY'

/** One entry for each payment, but a single one for those of an ACH file, as banks book a batch. */
function toEntries(payments: readonly Opened[]): NewEntry[] {
  const groups = new Map<string, Opened[]>()
  for (const payment of payments) {
    const { deliveryId, position } = payment
    const group = payment.payment.ach ? deliveryId : `${deliveryId} ${position}`
    groups.set(group, [...(groups.get(group) ?? []), payment])
  }
  return [...groups.values()].map((group) => ({
    direction: 'DEBIT',
    isReversal: false,
    amount: group.reduce((sum, { payment }) => sum + payment.amount, 0n),
    bankReference: newMessageId(),
    transactionCode: issuedCode(group[0]),
    details: group.map(describe),
  }))
}

/** The bank transaction code of a transfer that we issued: by ACH, by SEPA, or a domestic one. */
function issuedCode(first: Opened | undefined): string {
  if (first?.payment.ach) return 'PMNT/ICDT/ACDT'
  return first?.payment.currency === 'EUR' ? 'PMNT/ICDT/ESCT' : 'PMNT/ICDT/DMCT'
}

function describe({ fileId, payment }: Opened): EntryDetail {
  const { reference, amount, paymentInformationId, receiver } = payment
  return {
    reference,
    fileId,
    ...(paymentInformationId === undefined ? {} : { paymentInformationId }),
    amount,
    bankReference: newMessageId(),
    counterparty: { name: receiver.name, account: receiver.account },
    remittance: [],
  }
}

/** Credits us again. A file of returns tells why, and the statement lists the entry. */
async function returnPayments(deps: SettleDeps, tx: Tx, account: HeldAccount, payments: Opened[]): Promise<void> {
  if (payments.length === 0) return
  const { now } = await readClock(tx)
  for (const due of payments) {
    const { payment, fileId, returnCode } = due
    const reason: Reason = { code: returnCode ?? (payment.ach ? closedCodes.NACHA : closedCodes.ISO) }
    const returnId = newMessageId()
    const details = [{ ...describe(due), bankReference: returnId, returned: reason }]
    const { amount } = payment
    const credit = { direction: 'CREDIT', isReversal: false, amount, bankReference: returnId, details } as const
    const [entry] = await book(deps, tx, account, [{ ...credit, transactionCode: returnedCode }])
    const message = {
      messageId: newMessageId(),
      createdAt: now,
      account,
      returnId,
      number: entry?.number ?? 0n,
      originalFileId: fileId,
      payment,
      reason,
      settledOn: now.toISOString().slice(0, 10),
    }
    const content = payment.ach ? deps.formats.writeAchReturn(message) : deps.formats.writeReturn(message)
    await composeLetter(tx, deps.sealing, { format: payment.ach ? 'nacha-return' : 'pacs.004', content })
  }
  const moved = payments.map(({ deliveryId, position }) => ({ deliveryId, position, returnsInSeconds: null }))
  await store.movePayments(tx, moved, 'RETURNED')
}
