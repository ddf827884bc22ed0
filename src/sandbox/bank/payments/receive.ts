import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { readClock } from '../../../db/business-clock.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { findDebtor, keyOf } from '../accounts.ts'
import type { BankFolders, TakenFile } from '../folders.ts'
import type { BankFormats, HeldAccount, PaymentFile, Reason, ReceivedPayment, StatusMessage } from '../formats.ts'
import { composeLetter, newMessageId } from '../ledger/letters.ts'
import { insertAccount } from '../ledger/store.ts'
import type { Sealing } from '../sealing.ts'
import { type Behaviour, behaviourOf } from './behaviour.ts'
import * as store from './store.ts'

export type ReceiveDeps = {
  database: Database
  sealing: Sealing
  folders: BankFolders
  formats: BankFormats
  accounts: () => Promise<readonly HeldAccount[]>
  /** The balance of each account before its first entry, in smallest units. */
  openingBalance: bigint
  delaySeconds: number
  onFailure(error: unknown): void
}

const hourSeconds = 3_600

/** Codes of ISO 20022, external code set ExternalStatusReason1Code. */
const reasons = {
  malformed: { code: 'FF01', text: 'The file cannot be read' },
  damaged: { code: 'FF01', text: 'The file is damaged' },
  duplicate: { code: 'DU01', text: 'The bank has accepted this message before' },
  unknownAccount: { code: 'AC02', text: 'The bank does not keep the account that pays' },
  wrongCurrency: { code: 'AM03', text: 'The account has another currency' },
  closed: { code: 'AC04', text: 'The account of the receiver is closed' },
} as const satisfies Record<string, Reason>

/** Takes the files that wait, and answers each with a status; answers how many there were. */
export async function receiveFiles(deps: ReceiveDeps): Promise<number> {
  const files = await deps.folders.takeFiles()
  for (const file of files) {
    try {
      await receiveFile(deps, file)
      await deps.folders.keep(file)
    } catch (error) {
      // The file stays where it is, and the next worker takes it after the lease.
      deps.onFailure(error)
    }
  }
  return files.length
}

async function receiveFile(deps: ReceiveDeps, { deliveryId, name, path }: TakenFile): Promise<void> {
  const { database, formats } = deps
  const content = await readFile(path)
  const contentHash = createHash('sha256').update(content).digest()
  const file = await formats.readPayments(content).catch(() => undefined)
  const fileId = file ? (file.fileId ?? idInName(name)) : null
  const account = file && findDebtor(await deps.accounts(), file.debtor)
  await database.inTx(async (tx) => {
    const { isHandled, isDuplicate } = await store.findDelivery(tx, { deliveryId, contentHash, fileId })
    if (isHandled) return
    const payments = file && account ? await judgePayments(tx, file.payments) : []
    const rejection = judgeFile(file, account, payments, isDuplicate)
    await store.insertDelivery(tx, {
      deliveryId,
      contentHash,
      fileId,
      status: rejection ? 'REJECTED' : 'ACCEPTED',
      reason: rejection?.code ?? null,
      payments: payments.length,
    })
    if (file && account && (!rejection || rejection === reasons.damaged)) {
      await recordPayments(deps, tx, { deliveryId, account }, payments, rejection !== undefined)
    }
    const received = { file, fileId: fileId ?? idInName(name), payments }
    await answer(deps, tx, received, rejection)
  })
}

/**
 * Reads the id of a file from its name, such as SVC7K2 of ach-SVC7K2.ach. NACHA files carry no id of their own, so bank
 * and customer use that of the name.
 */
function idInName(name: string): string {
  return /[A-Z0-9]{1,35}(?=\.[^.]*$)/.exec(name)?.[0] ?? name.slice(0, 35)
}

type JudgedPayment = ReceivedPayment & { behaviour: Behaviour }

/** A payment whose file was lost is paid the next time that the bank meets its reference. */
async function judgePayments(tx: Tx, payments: readonly ReceivedPayment[]): Promise<JudgedPayment[]> {
  const judged = payments.map((payment) => ({
    ...payment,
    behaviour: behaviourOf(payment.receiver.account),
  }))
  const lost = judged.filter(({ behaviour }) => behaviour === 'LOSE_REQUEST').map(({ reference }) => reference)
  if (lost.length === 0) return judged
  const known = await store.findKnownReferences(tx, lost)
  return judged.map((payment) =>
    payment.behaviour === 'LOSE_REQUEST' && known.has(payment.reference)
      ? { ...payment, behaviour: 'SETTLE' }
      : payment,
  )
}

/** Decides whether the bank rejects the whole file. */
function judgeFile(
  file: PaymentFile | undefined,
  account: HeldAccount | undefined,
  payments: readonly JudgedPayment[],
  isDuplicate: boolean,
): Reason | undefined {
  if (!file) return reasons.malformed
  if (isDuplicate) return reasons.duplicate
  if (!account) return reasons.unknownAccount
  if (payments.some(({ currency }) => currency !== account.currency)) return reasons.wrongCurrency
  return payments.some(({ behaviour }) => behaviour === 'LOSE_REQUEST') ? reasons.damaged : undefined
}

/** Keeps the payments: those of an accepted file to book them, those of a damaged one to know them the next time. */
async function recordPayments(
  { sealing, openingBalance, delaySeconds }: ReceiveDeps,
  tx: Tx,
  { deliveryId, account }: { deliveryId: string; account: HeldAccount },
  payments: readonly JudgedPayment[],
  isRejected: boolean,
): Promise<void> {
  await insertAccount(tx, keyOf(account), account.currency, openingBalance)
  const rows = payments.map(({ behaviour, ...payment }, position) => ({
    position,
    reference: payment.reference,
    amount: payment.amount,
    behaviour,
    status: isRejected || behaviour === 'REFUSE' ? ('REJECTED' as const) : ('PENDING' as const),
    settlesInSeconds: behaviour === 'SLOW' ? hourSeconds : delaySeconds,
    sealedPayment: sealing.seal(`payment ${deliveryId} ${position}`, payment),
  }))
  await store.insertPayments(tx, { deliveryId, account: keyOf(account) }, rows)
}

type Received = { file: PaymentFile | undefined; fileId: string; payments: readonly JudgedPayment[] }

/** Writes the status of the file, and of its payments that are not simply accepted. */
async function answer(
  { formats, sealing }: ReceiveDeps,
  tx: Tx,
  { file, fileId, payments }: Received,
  rejection: Reason | undefined,
): Promise<void> {
  if (!rejection && payments.some(({ behaviour }) => behaviour === 'LOSE_REPLY')) return
  const told = rejection ? [] : payments.flatMap(describeStatus)
  const isPartial = told.some(({ status }) => status === 'REJECTED')
  const accepted = isPartial ? 'PARTIAL' : 'ACCEPTED'
  const { now } = await readClock(tx)
  const content = formats.writeStatus({
    messageId: newMessageId(),
    createdAt: now,
    originalFileId: fileId,
    originalFormat: file?.format ?? 'pain.001',
    status: rejection ? 'REJECTED' : accepted,
    reasons: rejection ? [rejection] : [],
    payments: told,
  })
  await composeLetter(tx, sealing, { format: 'pain.002', content })
}

function describeStatus(payment: JudgedPayment): StatusMessage['payments'] {
  const { reference, paymentInformationId, amount, currency, behaviour } = payment
  if (behaviour !== 'REFUSE' && behaviour !== 'SLOW') return []
  const isRefused = behaviour === 'REFUSE'
  return [
    {
      reference,
      ...(paymentInformationId === undefined ? {} : { paymentInformationId }),
      amount,
      currency,
      status: isRefused ? 'REJECTED' : 'PENDING',
      reasons: isRefused ? [reasons.closed] : [],
    },
  ]
}
