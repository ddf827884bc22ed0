import type { Asset } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Address } from '../../customers/identity/identity.ts'
import type { BankDetails } from '../../payment-accounts/payment-account.ts'
import type { PayoutPurpose } from './payout.ts'

/**
 * The port to a bank or chain that pays for us. docs/rails.md shows its states and who may say what.
 *
 * A payout leaves in three steps: the rail prepares the exact bytes, we commit them with the attempt, the rail submits
 * them. Afterwards the rail can be asked about those very bytes. An attempt is repeated only when the
 * rail has proven that the one before is DEAD: unknown to the rail is not the same as never paid. All times are business
 * time. A rail starts no loops of its own: watchers are jobs of the worker.
 */
export type Rail = {
  /** For logs, metrics and the lane of its own in which the worker serves it. */
  name: string
  methods: readonly PaymentMethod[]
  capabilities: RailCapabilities
  /** Prepares orders without any effect outside. Every order is in one batch, or declined. */
  prepare(orders: readonly PayoutOrder[], call: RailCall): Promise<Preparation>
  /** Submits a committed batch; answers for each of its items, in their order. */
  submit(batch: CommittedBatch, call: RailCall): Promise<readonly SubmitOutcome[]>
  /**
   * Tells what the rail knows of an order, everything that it has reported included. May submit the bytes of an attempt
   * again, never other bytes; the transaction around a signed authorization is not part of them.
   */
  ask(order: OrderFacts, attempts: readonly Attempt[], call: RailCall): Promise<RailAnswer>
  /**
   * Keeps committed bytes from leaving that have not left, before an operator settles their payout as refused. False
   * while some of them may still leave, or a chain may still execute them. A rail without it submits within the worker's
   * lease alone.
   */
  withdraw?(
    order: Pick<OrderFacts, 'reference'>,
    attempts: readonly Pick<Attempt, 'batchId'>[],
    call: RailCall,
  ): Promise<boolean>
  /**
   * True when no committed bytes of a payout can pay any more: a chain has executed them, or never will. A rail with it
   * lets an operator settle a payout as confirmed only then: afterwards nothing looks after bytes that wait.
   */
  isSpent?(order: Pick<OrderFacts, 'reference'>, call: RailCall): Promise<boolean>
}

export type RailCapabilities = {
  /** The most orders in one batch: a file has many, a chain one. */
  batchSize: number
  /**
   * How many batches of a worker leave at the same time; one by default. The steps of several batches overlap: the signer
   * decides about one while the nodes execute another.
   */
  batchesTogether?: number
  /** How long after the decision an order may be submitted to a bank, or executed by a chain. */
  validSeconds: number
  /**
   * How long a payout whose attempts are dead waits for others that it can share a batch with. Without it, each is
   * attempted again at once, on its own.
   */
  collectSeconds?: number
}

/**
 * Each call ends when the signal aborts, after a third of the lease (10 s by default); its outcome is then unknown, and
 * the rail must not begin to submit. Calls run concurrently, in several processes, and may throw: a preparation is then
 * repeated, and after a submission or a question the outcome is unknown.
 */
export type RailCall = { signal: AbortSignal }

/** The destination of a payout. */
export type PayoutDestination = { type: 'BANK'; details: BankDetails } | { type: 'ADDRESS'; address: string }

/** The facts that identify an order at the rail. Kept for ever, and free of personal data. */
export type OrderFacts = {
  /** The id of the obligation. It never changes: a rail that receives it twice pays once. */
  reference: string
  /** The same obligation in 15 characters, with a check character, for rails whose field is short. */
  shortReference: string
  purpose: PayoutPurpose
  method: PaymentMethod
  asset: Asset
  /** In smallest units. */
  amount: bigint
  from: PayoutSource
}

/** The bank account of ours that pays, the wallet that tokens leave from (a key of svc.wallets), or our treasury. */
export type PayoutSource =
  | { type: 'BANK_ACCOUNT'; bankAccountId: string }
  | { type: 'WALLET'; walletId: string }
  | { type: 'TREASURY' }

export type PayoutOrder = OrderFacts & {
  destination: PayoutDestination
  /** The customer for whom we pay. Banks and the travel rule ask for it. */
  originator: Originator
  /** The text that the receiver reads. */
  memo: string
  /** Grows by one with each attempt: two attempts need two batch ids. */
  attempt: number
  /** A bank gets nothing, and a chain executes nothing, after this moment: the decision to pay has lapsed. */
  notAfter: Date
}

export type Originator = {
  /** Null when we move our own money. */
  customerId: string | null
  /** Empty when we move our own money, or when the customer was erased since. */
  name: string
  /** True when the customer is a business. */
  isBusiness?: boolean
  address?: Address
}

export type Preparation = {
  batches: readonly PreparedBatch[]
  declined: readonly Declined[]
}

export type PreparedBatch = {
  /** The id of a file, or of one transfer. The rail chooses it, once for ever. */
  batchId: string
  /** The exact bytes that will leave. */
  content: Buffer
  /** Not later than that of any of its orders. */
  notAfter: Date
  items: readonly PreparedItem[]
}

export type PreparedItem = {
  reference: string
  /** The name of the attempt at the rail: a transaction hash, a nonce, an entry of a file. */
  key: string
}

/** A batch as we committed it, with the bytes that may leave, and no others. */
export type CommittedBatch = PreparedBatch

/** NOT_NOW: closed, past the cut-off, or too expensive; nothing has left. REFUSED: this rail never pays it. */
export type Declined = { reference: string } & (
  | { outcome: 'NOT_NOW'; until: Date; why: string }
  | { outcome: 'REFUSED'; reason: string }
)

/** UNKNOWN is not a failure: the request or its answer was lost, and only the rail knows whether money moves. */
export type SubmitOutcome =
  | { outcome: 'ACCEPTED'; askAgainAt?: Date }
  | { outcome: 'REFUSED'; reason: string }
  | { outcome: 'UNKNOWN'; why: string }

/** An attempt that may have left. */
export type Attempt = PreparedItem & {
  attempt: number
  rail: string
  batchId: string
  notAfter: Date
  /** Reads the bytes of the whole batch. */
  content(): Promise<Buffer>
}

/**
 * NOT_KNOWN: ask later; it may still be paid. PENDING: the rail has it. DEAD: proven, no attempt so far can ever pay.
 * REFUSED: no attempt has paid, and none ever will under this reference.
 */
export type RailAnswer =
  | { state: 'NOT_KNOWN' | 'PENDING'; askAgainAt?: Date }
  | { state: 'DEAD'; proof: string }
  | { state: 'REFUSED'; reason: string }
  | ({ state: 'CONFIRMED'; returns: readonly PayoutReturn[] } & Payment)

/** How a payout was paid. */
export type Payment = {
  /** The bank's or chain's own reference. */
  externalReference: string
  /** The amount that left, in smallest units. */
  amount: bigint
  /** The day on which the bank booked it, as YYYY-MM-DD. */
  valueDate?: string
  block?: Block
  /** Charges of the rail beside the amount. */
  costs: readonly Cost[]
}

/** A block that is final: the port knows no confirmation before. */
export type Block = { number: bigint; hash: string }

/** A charge. Several in one asset are booked as one. */
export type Cost = { asset: Asset; amount: bigint }

/** A return of a payout. There may be several, at any time after its confirmation. */
export type PayoutReturn = {
  /** The rail's own id of the return: the same id is the same return. */
  returnId: string
  reason: string
  /** It may lack fees of banks. */
  amount: bigint
  valueDate?: string
}

/**
 * A report that a rail gives without being asked: a statement, a return file, the watcher of a chain. DEAD is a hint
 * that the rail can prove it when it is asked now: a report may be older than the latest attempt.
 */
export type RailReport =
  | { state: 'DEAD' }
  | { state: 'REFUSED'; reason: string }
  | ({ state: 'CONFIRMED' } & Payment)
  /** A return in another currency than the payout is for an operator. `entryId`: a booked entry tells it, no message. */
  | ({ state: 'RETURNED'; currency?: string; entryId?: string } & PayoutReturn)
  /** The rail has paid once more what it had paid before: an operator looks into it. */
  | { state: 'PAID_TWICE'; externalReference: string; amount: bigint }
  /** The rail has taken back all that it paid once more: it has paid once. */
  | { state: 'PAID_ONCE' }

/** The rails of a deployment. A method has at most one. */
export type Rails = { all: readonly Rail[]; of(method: PaymentMethod): Rail | undefined }

export function registerRails(all: readonly Rail[]): Rails {
  const byMethod = new Map<PaymentMethod, Rail>()
  for (const rail of all) {
    for (const method of rail.methods) {
      const other = byMethod.get(method)
      if (other) throw new Error(`${rail.name} and ${other.name} both serve ${method}`)
      byMethod.set(method, rail)
    }
  }
  return { all, of: (method) => byMethod.get(method) }
}
