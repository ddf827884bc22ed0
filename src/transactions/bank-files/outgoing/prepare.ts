import { createHash } from 'node:crypto'
import type { FiatLabel, FiatRail } from '../../../catalog/currencies.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'
import type { Declined, PayoutOrder, Preparation, PreparedBatch } from '../../payouts/rail.ts'
import type { BankAccount } from '../../treasury/bank-account.ts'
import type { BankFormats, FileHeader, OutgoingPayment, OwnAccount } from '../formats.ts'
import { chooseNumber } from './file-number.ts'
import * as store from './file-store.ts'
import { readFormerFiles } from './item-store.ts'
import { toPayment } from './payment.ts'
import { type Hours, nextHour, pauseAfter, scheduleFor } from './schedule.ts'

export type PrepareDeps = Hours & {
  database: Database
  formats: BankFormats
  listAccounts(): Promise<readonly BankAccount[]>
}

const hourMs = 3_600_000

/** Orders that share a file: one account, one way of execution, one day. */
type Group = { header: Omit<FileHeader, 'fileId' | 'createdAt'>; closesAt?: Date; orders: PayoutOrder[] }
type Placed = Group['header'] & { closesAt?: Date }

/** Prepares the exact bytes of files. Declines what no file can carry, and what the bank does not take now. */
export async function prepareFiles(deps: PrepareDeps, orders: readonly PayoutOrder[], now: Date): Promise<Preparation> {
  const accounts = new Map((await deps.listAccounts()).map((account) => [account.bankAccountId, account]))
  const groups = new Map<string, Group>()
  const paused = await pauseRejected(deps, orders, now)
  const declined: Declined[] = [...paused.values()]
  for (const order of orders) {
    if (paused.has(order.reference)) continue
    const placed = place(deps, accounts, order, now)
    if ('outcome' in placed) declined.push(placed)
    else {
      const { closesAt, ...header } = placed
      const key = `${header.account.bankAccountId} ${header.service} ${header.executionDate}`
      const group: Group = groups.get(key) ?? { header, orders: [], ...(closesAt ? { closesAt } : {}) }
      group.orders.push(order)
      groups.set(key, group)
    }
  }
  const batches: PreparedBatch[] = []
  for (const group of groups.values()) {
    const prepared = await prepareGroup(deps, group, now)
    declined.push(...prepared.declined)
    batches.push(...prepared.batches)
  }
  return { batches, declined }
}

/**
 * Declines orders that the bank has rejected again and again, until a pause has passed, and orders of which a former file
 * may be paid: the bank may say that it has a rejected file while its payments wait.
 */
async function pauseRejected(
  { database }: PrepareDeps,
  orders: readonly PayoutOrder[],
  now: Date,
): Promise<Map<string, Declined>> {
  const again = orders.filter(({ attempt }) => attempt > 1).map(({ reference }) => reference)
  const former = again.length > 0 ? await readFormerFiles(database, again) : []
  const paused = new Map<string, Declined>()
  const pause = (reference: string, until: Date, why: string) =>
    paused.set(reference, { reference, outcome: 'NOT_NOW', until, why })
  for (const { payoutId, rejections, rejectedAt, mayBePaid } of former) {
    const until = rejectedAt === null ? now : pauseAfter(rejections, rejectedAt)
    if (mayBePaid) pause(payoutId, new Date(now.getTime() + hourMs), 'a former file may be paid')
    else if (until > now) pause(payoutId, until, `the bank rejected ${rejections} files with it`)
  }
  return paused
}

/** Finds the file that an order belongs into. */
function place(
  hours: PrepareDeps,
  accounts: ReadonlyMap<string, BankAccount>,
  { reference, method, amount, from }: PayoutOrder,
  now: Date,
): Placed | Declined {
  const account = from.type === 'BANK_ACCOUNT' ? accounts.get(from.bankAccountId) : undefined
  const own = account && ownAccountOf(account)
  const later = (until: Date, why: string): Declined => ({ reference, outcome: 'NOT_NOW', until, why })
  if (!own) return later(new Date(now.getTime() + hourMs), 'its bank account has no coordinates for files')
  const rail = method as FiatRail
  const slot = scheduleFor(rail, amount, now, hours)
  if ('refused' in slot) return { reference, outcome: 'REFUSED', reason: slot.refused }
  return 'until' in slot ? later(slot.until, slot.why) : { rail, account: own, ...slot }
}

/** Names an account of ours as files do; undefined for an account without files. */
export function ownAccountOf({ bankAccountId, currency, files }: BankAccount): OwnAccount | undefined {
  return files ? { bankAccountId, currency: currency as FiatLabel, ...files } : undefined
}

async function prepareGroup(deps: PrepareDeps, group: Group, now: Date): Promise<Preparation> {
  const { header, orders, closesAt } = group
  const file: FileHeader = { ...header, fileId: `SVC${newId().replaceAll('-', '').toUpperCase()}`, createdAt: now }
  const payments = orders.map((order) => ({ order, payment: toPayment(order) }))
  const refused = payments.flatMap(({ order: { reference }, payment }): Declined[] => {
    const problem = deps.formats.checkPayment(file, payment)
    return problem === undefined ? [] : [{ reference, outcome: 'REFUSED', reason: problem }]
  })
  const written = payments.filter(({ order }) => !refused.some(({ reference }) => reference === order.reference))
  if (written.length === 0) return { batches: [], declined: refused }
  const batch = await deps.database.inTx((tx) => writeFile(deps, tx, file, written, closesAt))
  if (batch) return { batches: [batch], declined: refused }
  const why = 'the numbers of files of this day are scarce: payments wait for each other'
  const full = written.map(
    ({ order: { reference } }): Declined => ({ reference, outcome: 'NOT_NOW', until: nextHour(now), why }),
  )
  return { batches: [], declined: [...refused, ...full] }
}

type Written = { order: PayoutOrder; payment: OutgoingPayment }

/** Writes and records a file; undefined when no number is left for it. */
async function writeFile(
  { formats, keepsHours }: PrepareDeps,
  tx: Tx,
  header: FileHeader,
  written: readonly Written[],
  closesAt: Date | undefined,
): Promise<PreparedBatch | undefined> {
  const items = written.map(({ order }) => ({
    reference: order.shortReference,
    payoutId: order.reference,
    attempt: order.attempt,
    amount: order.amount,
  }))
  await store.supersedeFiles(tx, items)
  const number = await chooseNumber(tx, header, keepsHours)
  if (number === 'NONE_LEFT') return undefined
  const payments = written.map(({ payment }) => payment)
  const numbered = number === undefined ? header : { ...header, fileIdModifier: number.modifier }
  const content = Buffer.concat([...formats.writeFile({ ...numbered, payments })])
  const { fileId, account, service, executionDate } = header
  // A file that left after the bank has closed would carry a day that is over.
  const until = [...written.map(({ order }) => order.notAfter), ...(closesAt ? [closesAt] : [])]
  const notAfter = new Date(Math.min(...until.map((each) => each.getTime())))
  const isNacha = number !== undefined
  await store.insertFile(
    tx,
    {
      bankFileId: newId(),
      messageId: fileId,
      name: `${service.toLowerCase().replaceAll('_', '-')}-${fileId}.${isNacha ? 'ach' : 'xml'}`,
      format: isNacha ? 'NACHA' : 'pain.001',
      bankAccountId: account.bankAccountId,
      service,
      currency: account.currency,
      executionDate,
      contentHash: createHash('sha256').update(content).digest(),
      size: content.length,
      total: items.reduce((sum, { amount }) => sum + amount, 0n),
      notAfter,
      number,
      createdAt: header.createdAt,
    },
    items,
  )
  const keyOf = (reference: string) => `${fileId}:${reference}`
  return {
    batchId: fileId,
    content,
    notAfter,
    items: written.map(({ order }) => ({ reference: order.reference, key: keyOf(order.shortReference) })),
  }
}
