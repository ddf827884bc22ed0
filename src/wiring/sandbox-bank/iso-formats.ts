import { type PaymentOrder, readPain001 } from '../../adapters/bank/iso20022/pain001-reader.ts'
import { writeRecallMessage } from '../../adapters/bank/iso20022/returns/camt056-writer.ts'
import { writeReturnMessage } from '../../adapters/bank/iso20022/returns/pacs004-writer.ts'
import {
  type NewBalance,
  type NewEntry,
  type NewStatement,
  writeNotification,
  writeStatement,
} from '../../adapters/bank/iso20022/statement-writer.ts'
import { writeStatusReport } from '../../adapters/bank/iso20022/status-writer.ts'
import type { FiatLabel } from '../../catalog/currencies.ts'
import { nameOf } from '../../sandbox/bank/accounts.ts'
import type {
  AccountName,
  BankFormats,
  Entry,
  EntryDetail,
  HeldAccount,
  PaymentFile,
  ReceivedPayment,
  StatusMessage,
} from '../../sandbox/bank/formats.ts'
import type { AccountName as FileAccount, Money } from '../../transactions/bank-files/formats.ts'

/** Reads a pain.001, as the bank of the debtor does. */
export async function readIsoPayments(content: Buffer): Promise<PaymentFile> {
  let fileId: string | undefined
  const debtors: AccountName[] = []
  const payments: ReceivedPayment[] = []
  for await (const part of readPain001([content])) {
    if (part.type === 'FILE') fileId = part.messageId
    if (part.type === 'BATCH') debtors.push(part.debtor.account)
    if (part.type === 'PAYMENT') payments.push(toPayment(part))
  }
  const [debtor = {}, ...others] = debtors
  if (others.some(({ iban, number }) => iban !== debtor.iban || number !== debtor.number)) {
    throw new Error('The bank takes one account that pays in a file')
  }
  return { format: 'pain.001', fileId, debtor, payments }
}

function toPayment({
  paymentInformationId,
  instructionId,
  endToEndId,
  amount,
  creditor,
}: PaymentOrder): ReceivedPayment {
  const { name = '', account, bankId, email } = creditor
  return {
    reference: endToEndId,
    amount: amount.units,
    currency: amount.currency,
    receiver: { name, account: { ...account, ...(email ? { number: email } : {}), ...(bankId ? { bankId } : {}) } },
    paymentInformationId,
    ...(instructionId === undefined ? {} : { instructionId }),
  }
}

/** The messages of ISO 20022 that the bank writes. */
export const isoMessages: Pick<
  BankFormats,
  'writeStatus' | 'writeNotification' | 'writeStatement' | 'writeReturn' | 'writeRecall'
> = {
  writeStatus: (message) => {
    const { messageId, createdAt, originalFileId: fileId, originalFormat, reasons } = message
    const messageName = originalFormat === 'NACHA' ? 'NACHA' : 'pain.001.001.09'
    const group = { statusCode: statusCodes[message.status], reasons }
    const original = { fileId, messageName }
    return join(writeStatusReport({ messageId, createdAt, original, group, batches: batchesOf(message) }))
  },

  writeNotification: ({ messageId, createdAt, account, entries }) => {
    const statement = statementOf(messageId, account, entries)
    return join(writeNotification({ messageId, createdAt, statements: [statement] }))
  },

  writeStatement: ({ messageId, createdAt, account, entries, number, date, opening, closing }) => {
    const balances = [
      balance('OPBD', account.currency, opening, date),
      balance('CLBD', account.currency, closing, date),
    ]
    const electronicSequence = String(number)
    const statement = { ...statementOf(messageId, account, entries), electronicSequence, balances }
    return join(writeStatement({ messageId, createdAt, statements: [statement] }))
  },

  writeReturn: ({ messageId, createdAt, account, returnId, originalFileId, payment, reason, settledOn }) => {
    const amount: Money = { currency: account.currency, units: payment.amount }
    const { reference } = payment
    const told = { returnId, originalFileId, reference, originalAmount: amount, amount, effectiveDate: settledOn }
    return join(writeReturnMessage({ messageId, createdAt, returns: [{ ...told, ...reason }] }))
  },

  writeRecall: ({ messageId, createdAt, account, recallId, credit, code }) => {
    const amount: Money = { currency: account.currency, units: credit.amount }
    const debtor = credit.details[0]?.counterparty ?? {}
    const { bankReference: transactionId, bookedOn: settledOn } = credit
    const told = { messageId, createdAt, recallId, transactionId, amount, settledOn, code, debtor }
    return join(writeRecallMessage(told))
  },
}

const statusCodes = { ACCEPTED: 'ACCP', PARTIAL: 'PART', REJECTED: 'RJCT', PENDING: 'PDNG' } as const

function batchesOf({ payments }: StatusMessage) {
  const ids = [...new Set(payments.map(({ paymentInformationId = '1' }) => paymentInformationId))]
  return ids.map((paymentInformationId) => ({
    paymentInformationId,
    payments: payments
      .filter((payment) => (payment.paymentInformationId ?? '1') === paymentInformationId)
      .map(({ reference, amount, currency, status, reasons }) => ({
        reference,
        amount: { currency: currency as FiatLabel, units: amount },
        statusCode: statusCodes[status],
        reasons,
      })),
  }))
}

function statementOf(statementId: string, account: HeldAccount, entries: readonly Entry[]): NewStatement {
  return {
    statementId,
    account: { ...nameOf(account.coordinates), currency: account.currency },
    entries: entries.map((entry) => entryOf(entry, account.currency)),
  }
}

function entryOf(entry: Entry, currency: FiatLabel): NewEntry {
  const { number, direction, isReversal, amount, bookedOn, bankReference, transactionCode, details } = entry
  const total = { currency, units: amount }
  const [first] = details
  const isBatch = details.length > 1
  return {
    entryReference: String(number),
    bankReference,
    direction,
    isReversal,
    status: 'BOOKED',
    amount: total,
    bookingDate: bookedOn,
    valueDate: bookedOn,
    bankTransactionCode: transactionCode,
    charges: [],
    ...(isBatch && first?.fileId ? { batch: { fileId: first.fileId, count: details.length, total } } : {}),
    details: details.map((detail) => detailOf(detail, entry, currency)),
  }
}

function detailOf(
  detail: EntryDetail,
  { direction, transactionCode }: Entry,
  currency: FiatLabel,
): NewEntry['details'][number] {
  const { reference, fileId, paymentInformationId, amount, bankReference, counterparty, ownAccount, remittance } =
    detail
  const { returned } = detail
  return {
    references: {
      bankReference,
      ...(fileId === undefined ? {} : { messageId: fileId }),
      ...(paymentInformationId === undefined ? {} : { paymentInformationId }),
      ...(reference === undefined ? {} : { endToEndId: reference }),
    },
    amount: { currency, units: amount },
    direction,
    charges: [],
    counterparty: {
      ...(counterparty.name === undefined ? {} : { name: counterparty.name }),
      ...(counterparty.account ? { account: accountOf(counterparty.account) } : {}),
    },
    ...(ownAccount ? { ownAccount: accountOf(ownAccount) } : {}),
    remittance: [...remittance],
    creditorReferences: [],
    ...(returned ? { return: { reason: returned, originalBankTransactionCode: transactionCode } } : {}),
  }
}

const accountOf = ({ iban, number }: AccountName): FileAccount => ({
  ...(iban === undefined ? {} : { iban }),
  ...(number === undefined ? {} : { number }),
})

function balance(code: string, currency: FiatLabel, units: bigint, date: string): NewBalance {
  const size = units < 0n ? -units : units
  return { code, direction: units < 0n ? 'DEBIT' : 'CREDIT', amount: { currency, units: size }, date }
}

function join(chunks: Iterable<Buffer>): Buffer {
  return Buffer.concat([...chunks])
}
