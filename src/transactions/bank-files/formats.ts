import type { BankService } from '../../catalog/bank-limits.ts'
import type { FiatLabel, FiatRail } from '../../catalog/currencies.ts'
import type { BankCoordinates } from '../../payment-accounts/payment-account.ts'
import type { AccountFiles } from '../treasury/bank-account.ts'

/** The port to the formats of bank files. */
export type BankFormats = {
  /** Tells why a format cannot carry a payment; undefined when it can. */
  checkPayment(header: FileHeader, payment: OutgoingPayment): string | undefined
  writeFile(file: OutgoingFile): Iterable<Buffer>
  /** Reads any file of a bank as a stream of records; throws an error with a code for a malformed or unknown one. */
  readIncoming(source: AsyncIterable<Buffer>): AsyncIterable<IncomingRecord>
}

/** An entry of a statement before it has a place in one. */
export type StatedEntry = Omit<EntryRecord, 'type' | 'account' | 'statementId' | 'statementKey' | 'position'>

/** The ledger's own statement of a bank account for one day. */
export type LedgerStatement = {
  statementId: string
  createdAt: Date
  account: AccountName
  currency: FiatLabel
  date: string
  opening: bigint
  closing: bigint
}

/** The port to the format of the ledger's own statements: writes a camt.053 while the entries are read. */
export type WriteStatement = (statement: LedgerStatement, entries: AsyncIterable<StatedEntry>) => AsyncIterable<Buffer>

/** An exact amount in minor units of a currency whose scale is known. */
export type Money = { currency: FiatLabel; units: bigint }

export type PostalAddress = {
  countryCode?: string
  streetLine1?: string
  streetLine2?: string
  city?: string
  stateRegionProvince?: string
  postalCode?: string
}

/** Our account at a bank, as files name it. */
export type OwnAccount = AccountFiles & { bankAccountId: string; currency: FiatLabel; holderAddress?: PostalAddress }

export type OutgoingPayment = {
  /** 15 characters with a check character: the EndToEndId, or the individual id of NACHA. */
  reference: string
  /** In minor units of the account's currency. */
  amount: bigint
  receiver: {
    name: string
    isBusiness: boolean
    address?: PostalAddress
    coordinates: BankCoordinates
    /** CHECKING or SAVINGS; any other text is a checking account. */
    bankAccountType: string
    bankName?: string
  }
  /** The customer for whom we pay (the ultimate debtor). Without a name we pay for ourselves. */
  originator: { name: string; address?: PostalAddress }
  /** The text that the receiver reads. */
  memo: string
}

/** The facts of a file, without its payments. */
export type FileHeader = {
  /** The MsgId: at most 35 characters of A–Z, 0–9 and hyphen; unique for ever. */
  fileId: string
  rail: FiatRail
  service: BankService
  account: OwnAccount
  createdAt: Date
  /** YYYY-MM-DD */
  executionDate: string
  /** NACHA: A–Z or 0–9, one per day and destination. "A" when absent. */
  fileIdModifier?: string
}

export type OutgoingFile = FileHeader & { payments: Iterable<OutgoingPayment> }

/** The account that a message names. A bank writes an IBAN, or a number of its own. */
export type AccountName = { iban?: string; number?: string; currency?: string; bankId?: string }

/** The reason of a status or return: a code of ISO 20022 or Nacha, or a text of the bank. */
export type Reason = { code: string; text?: string }

export const incomingFormats = ['pain.002', 'camt.053', 'camt.054', 'camt.056', 'pacs.004', 'NACHA'] as const
export type IncomingFormat = (typeof incomingFormats)[number]

/**
 * The meaning of a status code. SETTLED: the bank says that it debited us (ACSC) or that the receiver was credited
 * (ACCC). OTHER: a code that we do not know, or CANC.
 */
export type PaymentStatus = 'ACCEPTED' | 'PARTIAL' | 'REJECTED' | 'PENDING' | 'SETTLED' | 'OTHER'

export type IncomingRecord =
  | FileRecord
  | StatementRecord
  | BalanceRecord
  | FileStatusRecord
  | PaymentStatusRecord
  | EntryRecord
  | ReturnRecord
  | ChangeRecord
  | RecallRecord
  | AchEntryRecord

/** The first record of every file. */
export type FileRecord = {
  type: 'FILE'
  format: IncomingFormat
  /** Such as "001.08"; "094" for NACHA. */
  version: string
  messageId: string
  /** As the bank wrote it: an ISO date-time, with or without an offset. */
  createdAt: string
  /** The page of a message in several files. */
  page?: Page
}

export type Page = { number: string; isLast: boolean }

/** Begins a statement (camt.053) or a notification (camt.054) of one account. */
export type StatementRecord = {
  type: 'STATEMENT'
  account: AccountName
  statementId: string
  /** Names one page of one statement: statementId with sequence and page numbers. Pages may share a statementId. */
  statementKey: string
  electronicSequence?: string
  legalSequence?: string
  page?: Page
  createdAt?: string
}

/** A balance of a statement, such as OPBD (opening booked) or CLBD (closing booked). */
export type BalanceRecord = {
  type: 'BALANCE'
  account: AccountName
  statementKey: string
  code: string
  direction: 'CREDIT' | 'DEBIT'
  amount: Money
  date?: string
}

/** The status of a whole file, or of one of its batches when `paymentInformationId` is given. */
export type FileStatusRecord = {
  type: 'FILE_STATUS'
  originalFileId: string
  paymentInformationId?: string
  status: PaymentStatus
  /** The bank's own status code, such as ACTC or RJCT. */
  statusCode: string
  reasons: Reason[]
}

export type PaymentStatusRecord = {
  type: 'PAYMENT_STATUS'
  originalFileId: string
  paymentInformationId?: string
  /** Our reference: the EndToEndId. Empty when the bank named none. */
  reference: string
  amount?: Money
  status: PaymentStatus
  statusCode: string
  reasons: Reason[]
  bankReference?: string
}

export type EntryRecord = {
  type: 'ENTRY'
  account: AccountName
  statementId: string
  statementKey: string
  /** The bank's entry reference; its own transaction reference, or "#" and the position, when there is none. */
  entryReference: string
  /** Counts the entries of a statement page from 1. */
  position: number
  /** AcctSvcrRef: the bank's reference, the same in camt.054 and camt.053. */
  bankReference?: string
  direction: 'CREDIT' | 'DEBIT'
  isReversal: boolean
  status: 'BOOKED' | 'PENDING' | 'INFO'
  amount: Money
  /** YYYY-MM-DD */
  bookingDate?: string
  valueDate?: string
  /** Domain, family and sub-family such as "PMNT/RCDT/ESCT", or the bank's own code. */
  bankTransactionCode?: string
  /** Charges beside or inside the amount of the entry. */
  charges: Charge[]
  batch?: { fileId?: string; paymentInformationId?: string; count?: number; total?: Money }
  details: EntryDetail[]
}

/** `isIncluded`: the entry's amount contains the charge. */
export type Charge = { amount: Money; direction: 'CREDIT' | 'DEBIT'; isIncluded: boolean }

/** One transaction of an entry. */
export type EntryDetail = {
  references: DetailReferences
  amount?: Money
  direction?: 'CREDIT' | 'DEBIT'
  charges: Charge[]
  /** The other side: the debtor of a credit, the creditor of a debit. */
  counterparty: { name?: string; account?: AccountName }
  /** Our side as the payer named it, such as a virtual account. */
  ownAccount?: AccountName
  /** Texts that the payer or receiver wrote. They never identify what is confirmed, returned or reversed. */
  remittance: string[]
  /** Creditor references (RF…) that the payer copied. */
  creditorReferences: string[]
  return?: { reason?: Reason; originalBankTransactionCode?: string }
}

/** Structured references of one transaction. NOTPROVIDED is left out. */
export type DetailReferences = {
  messageId?: string
  bankReference?: string
  paymentInformationId?: string
  instructionId?: string
  endToEndId?: string
  uetr?: string
  transactionId?: string
  clearingReference?: string
}

export type ReturnRecord = {
  type: 'RETURN'
  source: 'NACHA' | 'pacs.004'
  /** The bank's own id of the return: the same id is the same return. */
  returnId: string
  /** Our reference: the EndToEndId, or the individual id of NACHA. Empty when the bank named none. */
  reference: string
  originalFileId?: string
  originalTrace?: string
  /** Whether the original entry was a credit or a debit. */
  original: 'CREDIT' | 'DEBIT'
  /** The amount that was returned; it may lack fees of banks. */
  amount: Money
  /** The amount that was paid, when the bank repeats it. */
  originalAmount?: Money
  code: string
  text?: string
  /** A return of a return (R61–R70): the bank refuses to take the money back. */
  isDishonored: boolean
  /** An answer to a dishonored return (R71–R77). */
  isContested: boolean
  /** YYYY-MM-DD */
  effectiveDate?: string
}

/** A notification of change: the payment was made, and the bank asks for other coordinates the next time. */
export type ChangeRecord = {
  type: 'CHANGE'
  changeId: string
  reference: string
  originalTrace: string
  /** C01 to C14; C61 to C69 refuses a notification. */
  code: string
  corrected: string
  isRefused: boolean
}

/** A bank wants a payment back that it or another bank has paid to us. */
export type RecallRecord = {
  type: 'RECALL'
  /** The same id is the same recall. */
  recallId: string
  /** Absent when the bank tells none: it wants all of the payment. */
  amount?: Money
  code: string
  /** The payment as the bank names it: its ids and payer. */
  detail: EntryDetail
}

/** An entry of a NACHA file that is neither a return nor a notification: it changes nothing. */
export type AchEntryRecord = {
  type: 'ACH_ENTRY'
  direction: 'CREDIT' | 'DEBIT'
  secCode: string
  traceNumber: string
  reference: string
  amount: Money
  name: string
}
