import { type PaymentMethod, paymentMethods } from '../catalog/payment-methods.ts'
import { createBatcher } from '../db/batcher.ts'
import { type Behaviour, findTransfers, type RecordedTransfer, recordTransfers } from '../db/counterparty-memory.ts'
import type { Queryable } from '../db/database.ts'
import { newId } from '../lib/ids.ts'
import type { PayoutDestination, PayoutOrder, Rail, RailAnswer, SubmitOutcome } from '../transactions/payouts/rail.ts'

export type CounterpartyDeps = {
  /** A separate connection: the counterparty keeps a transfer even when our database transaction rolls back. */
  memory: Queryable
  /** The time to settle a transfer, in business time. */
  delaySeconds: number
  /** Reads the source amounts of payouts' transactions by reference, as the callers wrote them. */
  sourceAmountsOf(references: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Methods that real rails serve, such as networks with nodes. */
  served?: readonly PaymentMethod[]
}

const hour = 3_600

/** Magic endings: the last two decimals of the source amount, or the last four digits of the bank account. */
export const magicEndings: readonly { digits: string; behaviour: Behaviour; does: string }[] = [
  {
    digits: '66',
    behaviour: 'REFUSE',
    does: 'The rail refuses the payout: FAILED, destination_refused_funds, and a refund',
  },
  { digits: '77', behaviour: 'RETURN', does: 'COMPLETED; a day later the bank returns the funds: FAILED' },
  {
    digits: '88',
    behaviour: 'LOSE_REPLY',
    does: 'The answer to the payout is lost; Svc asks the rail, and the payout is COMPLETED',
  },
  {
    digits: '55',
    behaviour: 'LOSE_REQUEST',
    does: 'The payout never reaches the bank or chain; once it has expired there, Svc retries it',
  },
  { digits: '99', behaviour: 'SLOW', does: 'The payout takes an hour' },
]

/** An order lapses soon in the sandbox, so that a lost one is retried while a developer waits. */
const validSeconds = 10
const batchSize = 100
/** As for a network: the worker settles one batch while the other leaves. */
const batchesTogether = 2

/** Simulates the banks and the chains of the sandbox, which remember each reference for ever, as real ones do. */
export function createSandboxRails(deps: CounterpartyDeps): Rail[] {
  const { served = [] } = deps
  const methods = (Object.keys(paymentMethods) as PaymentMethod[]).filter((method) => !served.includes(method))
  const ofKind = (kind: 'fiat' | 'crypto') => methods.filter((method) => paymentMethods[method].kind === kind)
  const kinds: Kind[] = [
    { name: 'sandbox bank', methods: ofKind('fiat') },
    { name: 'sandbox chains', methods: ofKind('crypto') },
  ]
  return kinds.filter((kind) => kind.methods.length > 0).map((kind) => makeRail(deps, kind))
}

type Kind = { name: string; methods: readonly PaymentMethod[] }

/** The content of a batch: the part of an order that its counterparty needs. */
type Sent = { reference: string; amount: string; behaviour: Behaviour; notAfter: string }

function makeRail(deps: CounterpartyDeps, { name, methods }: Kind): Rail {
  const { memory, delaySeconds } = deps
  /** Questions of one moment share a statement. */
  const find = createBatcher({
    run: (references: readonly string[]) => findTransfers(memory, references),
    batchSize,
    concurrency: 1,
    collects: true,
  })
  return {
    name,
    methods,
    capabilities: { batchSize, batchesTogether, validSeconds },

    prepare: async (orders) => {
      const batchId = newId()
      const sourceAmounts = await deps.sourceAmountsOf(orders.map(({ reference }) => reference))
      const sent = orders.map((order) => toSend(order, sourceAmounts.get(order.reference)))
      const items = orders.map(({ reference }) => ({ reference, key: `${batchId}:${reference}` }))
      const notAfter = new Date(Math.min(...orders.map((order) => order.notAfter.getTime())))
      return { batches: [{ batchId, content: Buffer.from(JSON.stringify(sent)), notAfter, items }], declined: [] }
    },

    submit: async ({ content, items }, { signal }) => {
      const sent = JSON.parse(content.toString()) as Sent[]
      signal.throwIfAborted()
      const orders = new Map(sent.map((order) => [order.reference, order]))
      const transfers = items.map(({ reference }) => {
        const order = orders.get(reference)
        if (!order) throw new Error(`the batch does not contain ${reference}`)
        return { ...order, settlesInSeconds: order.behaviour === 'SLOW' ? hour : delaySeconds }
      })
      return (await recordTransfers(memory, transfers)).map(outcomeOf)
    },

    ask: async ({ reference }, attempts): Promise<RailAnswer> => {
      const latest = attempts.at(-1)
      const { transfer, now } = await find(reference)
      if (!transfer) {
        // The counterparty takes nothing after its time, so what has not arrived by then never will.
        const isDead = latest && now > latest.notAfter
        return isDead ? { state: 'DEAD', proof: 'it expired before it arrived' } : { state: 'NOT_KNOWN' }
      }
      if (transfer.behaviour === 'REFUSE') return { state: 'REFUSED', reason: 'account_closed' }
      if (!transfer.isSettled) return { state: 'PENDING' }
      const amount = BigInt(transfer.amount)
      const returned = { returnId: `sandbox-return-${reference}`, reason: 'account_closed', amount }
      const externalReference = `sandbox-${reference}`
      return {
        state: 'CONFIRMED',
        externalReference,
        amount,
        costs: [],
        returns: transfer.isReturned ? [returned] : [],
      }
    },
  }
}

function outcomeOf(known: RecordedTransfer | undefined): SubmitOutcome {
  if (!known) return { outcome: 'UNKNOWN', why: 'it had expired' }
  if (known.requests === 1 && ['LOSE_REQUEST', 'LOSE_REPLY'].includes(known.behaviour)) {
    return { outcome: 'UNKNOWN', why: 'the connection was lost' }
  }
  if (known.behaviour === 'REFUSE') return { outcome: 'REFUSED', reason: 'account_closed' }
  return { outcome: 'ACCEPTED' }
}

function toSend({ reference, amount, destination, notAfter }: PayoutOrder, sourceAmount: string | undefined): Sent {
  const behaviour = behaviourOf(destination, sourceAmount)
  return { reference, amount: String(amount), behaviour, notAfter: notAfter.toISOString() }
}

function behaviourOf(destination: PayoutDestination, sourceAmount: string | undefined): Behaviour {
  const coordinates = destination.type === 'BANK' ? destination.details.coordinates : {}
  const account = (coordinates.iban ?? coordinates.accountNumber ?? '').replaceAll(' ', '')
  const fraction = /\.(\d\d)0*$/.exec(sourceAmount ?? '')?.[1]
  const found = magicEndings.find(({ digits }) => fraction === digits || account.endsWith(`00${digits}`))
  return found?.behaviour ?? 'SETTLE'
}
