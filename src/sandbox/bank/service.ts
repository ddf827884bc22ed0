import type { FiatRail } from '../../catalog/currencies.ts'
import { readClock } from '../../db/business-clock.ts'
import type { Database, Tx } from '../../db/database.ts'
import { anyDue } from '../../db/workers/due.ts'
import { keyOf } from './accounts.ts'
import { type BankFolders, openBankFolders } from './folders.ts'
import type { AccountName, BankFormats, Entry, HeldAccount } from './formats.ts'
import { book, type LedgerDeps, type NewEntry, notify, openEntry } from './ledger/book.ts'
import { composeLetter, newMessageId, writeDueLetters } from './ledger/letters.ts'
import { stateAccount, stateEndedDays } from './ledger/statements.ts'
import { dueLetters, findEntry, hasEndedDays } from './ledger/store.ts'
import { receiveFiles } from './payments/receive.ts'
import { writeChanges } from './payments/returns.ts'
import { settleDue } from './payments/settle.ts'
import * as payments from './payments/store.ts'
import { createSealing } from './sealing.ts'

export type SandboxBankDeps = {
  database: Database
  /** The folder that Svc and the bank share. */
  folder: string
  formats: BankFormats
  /** Seals what the bank keeps about people. */
  sealingKey: Buffer
  /** Lists our accounts at the bank. */
  accounts(): Promise<readonly HeldAccount[]>
  /** The balance of each account before its first entry, in smallest units. */
  openingBalance: bigint
  /** The time until the bank books a payment, in business time. */
  delaySeconds: number
  leaseMs: number
  onFailure(error: unknown): void
}

/** A transfer of a sender to one of our accounts. */
export type IncomingTransfer = {
  account: HeldAccount
  rail: FiatRail
  amount: bigint
  /** The bank's reference; a new one when absent. */
  bankReference?: string
  sender: { name?: string; account?: AccountName }
  /** The virtual account that the sender named. */
  ownAccount?: AccountName
  /** The text of the sender. */
  text?: string
}

/** A credit of one of our accounts that the bank takes back. */
export type BankReversal = {
  account: HeldAccount
  bankReference: string
  amount: bigint
  reversalReference: string
  reason: string
}

/** A credit of one of our accounts that the payer's bank wants back. */
export type BankRecall = Pick<BankReversal, 'account' | 'bankReference'> & { code: string }

/** REPEATED: the bank tells of a known entry again. QUARANTINED: another entry has this reference. */
export type CreditOutcome = { bankReference: string; status: 'RECORDED' | 'REPEATED' | 'QUARANTINED' }

export type SandboxBank = ReturnType<typeof createSandboxBankService>

/** Received credit transfers by rail, in the bank transaction codes of ISO 20022. */
const creditCodes: Readonly<Record<FiatRail, string>> = {
  ACH: 'PMNT/RCDT/ACDT',
  WIRE: 'PMNT/RCDT/PRCT',
  SEPA: 'PMNT/RCDT/ESCT',
  CA_INTERAC: 'PMNT/RCDT/DMCT',
  IN_NEFT_RTGS_IMPS: 'PMNT/RCDT/DMCT',
}

/**
 * The bank of the sandbox: a counterparty of its own, which exchanges files with Svc in the formats of real banks. It
 * knows nothing of Svc but its accounts and these files.
 */
export function createSandboxBankService(deps: SandboxBankDeps) {
  const sealing = createSealing(deps.sealingKey)
  const ledger = { ...deps, sealing }
  let folders: Promise<BankFolders> | undefined
  const openFolders = () => (folders ??= openBankFolders(deps.folder, deps.leaseMs))
  return {
    accounts: deps.accounts,

    due: anyDue(dueLetters, hasEndedDays, payments.duePayments),
    hasArrivals: async (): Promise<boolean> => (await openFolders()).hasFiles(),

    /** Reads payment files, books what is due, closes days and writes files; answers how much there was to do. */
    work: async (): Promise<number> => {
      const opened = { ...ledger, folders: await openFolders() }
      const received = await receiveFiles(opened)
      const settled = await settleDue(ledger)
      const stated = await stateEndedDays(ledger)
      return received + settled + stated + (await writeDueLetters(opened, deps.leaseMs))
    },

    /** Credits one of our accounts, and notifies us. */
    credit: async (tx: Tx, transfer: IncomingTransfer): Promise<CreditOutcome> => {
      const { account, bankReference = newMessageId() } = transfer
      const entry = describeCredit(transfer, bankReference)
      const known = await findEntry(tx, keyOf(account), bankReference)
      if (known && isSame(openEntry(ledger, known), entry)) {
        await notify(ledger, tx, account, [openEntry(ledger, known)])
        return { bankReference, status: 'REPEATED' }
      }
      await notify(ledger, tx, account, await book(ledger, tx, account, [entry]))
      return { bankReference, status: known ? 'QUARANTINED' : 'RECORDED' }
    },

    /**
     * Takes a credit back, all of it or a part, and notifies us; false when the bank has no such credit. The reversal has
     * a reference of its own, and names that of the credit in its details.
     */
    reverse: (tx: Tx, reversal: BankReversal): Promise<boolean> => reverseCredit(ledger, tx, reversal),

    /** Asks us to give a credit back, in the name of the payer's bank; false when the bank has no such credit. */
    recall: (tx: Tx, recall: BankRecall): Promise<boolean> => recallCredit(ledger, tx, recall),

    /** Books these payments now. A statement tells of those whose notification was lost. */
    settle: async (tx: Tx, accounts: readonly HeldAccount[], references: readonly string[]): Promise<void> => {
      await payments.expeditePayments(tx, references)
      const lost = (await payments.findBooked(tx, references)).filter(({ behaviour }) => behaviour === 'LOSE_REPLY')
      for (const account of accounts) {
        if (lost.some((payment) => payment.account === keyOf(account))) await stateAccount(ledger, tx, account, true)
      }
    },

    /** Returns booked payments; false when the bank has none with these references. */
    returnPayments: async (tx: Tx, references: readonly string[], code?: string): Promise<boolean> =>
      (await payments.returnPayments(tx, references, code ?? null)) > 0,

    /** Notifies us of other coordinates of a receiver; false when the bank has no ACH payment with these references. */
    changeReceivers: (
      tx: Tx,
      accounts: readonly HeldAccount[],
      references: readonly string[],
      code: string,
    ): Promise<boolean> => writeChanges({ ...ledger, accounts }, tx, references, code),

    /** Writes a statement of all entries so far, without waiting for the end of the day. */
    state: (tx: Tx, account: HeldAccount): Promise<void> => stateAccount(ledger, tx, account, true),
  }
}

async function recallCredit(
  ledger: LedgerDeps,
  tx: Tx,
  { account, bankReference, code }: BankRecall,
): Promise<boolean> {
  const known = await findEntry(tx, keyOf(account), bankReference)
  if (known?.direction !== 'CREDIT') return false
  const { now: createdAt } = await readClock(tx)
  const ids = { messageId: newMessageId(), recallId: newMessageId() }
  const content = ledger.formats.writeRecall({ ...ids, createdAt, account, credit: openEntry(ledger, known), code })
  await composeLetter(tx, ledger.sealing, { format: 'camt.056', content })
  return true
}

async function reverseCredit(ledger: LedgerDeps, tx: Tx, reversal: BankReversal): Promise<boolean> {
  const { account, bankReference, amount, reversalReference, reason } = reversal
  const known = await findEntry(tx, keyOf(account), bankReference)
  const credit = known && openEntry(ledger, known)
  const [detail] = credit?.details ?? []
  if (credit?.direction !== 'CREDIT' || !detail || amount > credit.amount) return false
  const told = await findEntry(tx, keyOf(account), reversalReference)
  const entry: NewEntry = {
    direction: 'DEBIT',
    isReversal: true,
    amount,
    bankReference: reversalReference,
    transactionCode: credit.transactionCode,
    details: [{ ...detail, amount, bankReference, returned: { code: reason } }],
  }
  await notify(ledger, tx, account, told ? [openEntry(ledger, told)] : await book(ledger, tx, account, [entry]))
  return true
}

function describeCredit({ rail, amount, sender, ownAccount, text }: IncomingTransfer, bankReference: string): NewEntry {
  const detail = {
    amount,
    bankReference,
    counterparty: sender,
    ...(ownAccount ? { ownAccount } : {}),
    remittance: text === undefined ? [] : [text],
  }
  return {
    direction: 'CREDIT',
    isReversal: false,
    amount,
    bankReference,
    transactionCode: creditCodes[rail],
    details: [detail],
  }
}

function isSame(known: Entry, wanted: NewEntry): boolean {
  const { number: _number, bookedOn: _bookedOn, ...content } = known
  const inOrder = (value: object) =>
    JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))
  const shape = ({ direction, amount, transactionCode, details }: NewEntry) => ({
    direction,
    amount,
    transactionCode,
    details,
  })
  return inOrder(shape(content)) === inOrder(shape(wanted))
}
