import type { FiatLabel, FiatRail } from '../../catalog/currencies.ts'
import type { BankCoordinates } from '../../payment-accounts/payment-account.ts'

/** An account as messages name it: by its IBAN, or by a number at a bank. */
export type AccountName = { iban?: string; number?: string; bankId?: string }

/** An account that the bank keeps for us. */
export type HeldAccount = {
  /** Our own name of it, which the bank never writes. */
  bankAccountId: string
  currency: FiatLabel
  rails: readonly FiatRail[]
  holderName: string
  coordinates: BankCoordinates
  /** The names that the bank gave us for NACHA files. These name no account that pays: the bank knows the company. */
  nacha?: NachaNames
}

export type NachaNames = {
  companyId: string
  immediateDestination: string
  immediateOrigin: string
  destinationName: string
  originName: string
}

/** A file of payments as the bank has read it. */
export type PaymentFile = {
  format: 'NACHA' | 'pain.001'
  /** The MsgId. NACHA files have none: the bank knows them by the name of the file. */
  fileId: string | undefined
  debtor: AccountName | { companyId: string }
  payments: readonly ReceivedPayment[]
}

/** A payment as the bank keeps it, with all that a return repeats of it. */
export type ReceivedPayment = {
  reference: string
  amount: bigint
  currency: string
  /** The IBAN, number or e-mail address of the receiver. */
  receiver: { name: string; account: AccountName }
  paymentInformationId?: string
  instructionId?: string
  ach?: AchOrigin
}

/** The records of an ACH payment, which a return or a notification of change repeats. */
export type AchOrigin = { batchHeader: string; entry: string }

/** A reason of ISO 20022 or Nacha. */
export type Reason = { code: string; text?: string }

type Message = { messageId: string; createdAt: Date }

/** The bank's decision about a file: pain.002. */
export type StatusMessage = Message & {
  originalFileId: string
  originalFormat: 'NACHA' | 'pain.001'
  status: 'ACCEPTED' | 'PARTIAL' | 'REJECTED'
  reasons: readonly Reason[]
  payments: readonly {
    reference: string
    paymentInformationId?: string
    amount: bigint
    currency: string
    status: 'REJECTED' | 'PENDING'
    reasons: readonly Reason[]
  }[]
}

export type EntryDetail = {
  reference?: string
  fileId?: string
  paymentInformationId?: string
  amount: bigint
  bankReference: string
  counterparty: { name?: string; account?: AccountName }
  /** The virtual account that the payer named. */
  ownAccount?: AccountName
  remittance: readonly string[]
  returned?: Reason
}

/** An entry of the bank's ledger, as camt.054 and camt.053 show it. */
export type Entry = {
  number: bigint
  direction: 'CREDIT' | 'DEBIT'
  isReversal: boolean
  amount: bigint
  /** YYYY-MM-DD */
  bookedOn: string
  bankReference: string
  /** Domain, family and sub-family of ISO 20022, such as PMNT/RCDT/ESCT. */
  transactionCode: string
  details: readonly EntryDetail[]
}

/** A notification of entries as they are booked: camt.054. */
export type NotificationMessage = Message & {
  account: HeldAccount
  entries: readonly Entry[]
}

/** A statement: camt.053. */
export type Statement = NotificationMessage & {
  number: bigint
  /** YYYY-MM-DD */
  date: string
  opening: bigint
  closing: bigint
}

/** The return of a payment: pacs.004, or a NACHA return. */
export type ReturnMessage = Message & {
  account: HeldAccount
  returnId: string
  /** A number of the account, used once: traces of NACHA files contain it. */
  number: bigint
  originalFileId: string
  payment: ReceivedPayment
  reason: Reason
  /** YYYY-MM-DD */
  settledOn: string
}

/** The bank of a payer wants a payment back: camt.056. */
export type RecallMessage = Message & { account: HeldAccount; recallId: string; credit: Entry; code: string }

/** A notification of change: the bank paid, and asks for other coordinates the next time. */
export type ChangeMessage = Omit<ReturnMessage, 'reason' | 'settledOn'> & { code: string; corrected: string }

/** Reads what we send to the bank, and writes what it sends to us, in the formats of real banks. */
export type BankFormats = {
  /** Throws an error when the file is malformed. */
  readPayments(content: Buffer): Promise<PaymentFile>
  writeStatus(message: StatusMessage): Buffer
  writeNotification(message: NotificationMessage): Buffer
  writeStatement(statement: Statement): Buffer
  writeReturn(message: ReturnMessage): Buffer
  writeRecall(message: RecallMessage): Buffer
  writeAchReturn(message: ReturnMessage): Buffer
  writeAchChange(message: ChangeMessage): Buffer
}
