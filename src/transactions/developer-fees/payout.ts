import { type Asset, assetOf, assets, isFiat, labelOf, scaleOf } from '../../catalog/currencies.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Queryable, Tx } from '../../db/database.ts'
import { organizationAccount, payDeveloperFees, returnedFundsOf } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { newId } from '../../lib/ids.ts'
import { parseAmount } from '../../lib/money.ts'
import { badField, notFound, Refusal } from '../../lib/refusal.ts'
import { checkLimits } from '../../quotes/pricing.ts'
import { requirePosted } from '../change.ts'
import { countDisbursement, oweDisbursement } from '../disbursements/obligation.ts'
import { referenceFor } from '../disbursements/settlement.ts'
import { findDisbursement } from '../disbursements/store.ts'
import { presentDisbursement } from '../disbursements/wire.ts'
import { chooseRefundAccount, type RefundDestination, requireRefundAccount } from '../refunds/refund-account.ts'
import type { AccountScreeningDeps } from '../screening/account.ts'
import { isRejected } from '../screening/eligibility.ts'
import { readEligibility } from '../screening/eligibility-store.ts'
import { takeDeveloperFees } from '../treasury/liquidity-store.ts'
import * as store from './store.ts'

export type FeeReceiver = store.FeeReceiver

export type FeePayoutRequest = {
  currency: string
  chain?: string
  amount?: string
  destinationPaymentAccountId: string
}

/** A checked request: all of these fees are at one holding. */
export type PreparedFeePayout = FeeReceiver & {
  asset: Asset
  holding: string
  amount: bigint
  to: RefundDestination
}

export type FeePayoutDeps = AccountScreeningDeps & {
  database: Database
  ledger: LedgerService
  audit: Audit
  customers: Pick<CustomerService, 'openFor'>
  currencyOf: Parameters<typeof presentDisbursement>[1]
  /** Values an amount in cents of USD; undefined while there is no price. */
  valueNow(asset: Asset, amount: bigint): bigint | undefined
}

/** Pays developer fees to an account of the customer that stands for the organization, as a disbursement. */
export function createFeePayoutService(deps: FeePayoutDeps) {
  return {
    /** Names the customer whose accounts receive the fees of its organization. */
    setReceiver: async (tx: Tx, caller: Caller, receiver: FeeReceiver): Promise<FeeReceiver> => {
      const { organizationId, customerId } = receiver
      const before = await store.findReceiverBefore(tx, organizationId)
      await store.setReceiver(tx, receiver)
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'developer_fees.receiver_set', subjectId: customerId }
      const details = { changes: { customerId: { ...(before ? { from: before } : {}), to: customerId } } }
      await deps.audit.append(tx, { organizationId, ...act, details })
      return { organizationId, customerId }
    },

    findReceiver: async (caller: Caller, customerId: string): Promise<FeeReceiver> => {
      const { customer } = await deps.customers.openFor(caller, customerId)
      if (customer.customerType !== 'BUSINESS') {
        throw new Refusal('CONFLICT', 'The customer that stands for your organization must be a BUSINESS')
      }
      await requireActive(deps.database, customer)
      return { organizationId: customer.organizationId, customerId: customer.customerId }
    },

    /** Checks the request and screens the destination. Must run outside a database transaction. */
    prepare: (caller: Caller, request: FeePayoutRequest): Promise<PreparedFeePayout> => prepare(deps, caller, request),

    /** Moves the fees to the receiver, reserves them and owes the payout. */
    create: async (tx: Tx, caller: Caller, prepared: PreparedFeePayout) => {
      const { organizationId, customerId, asset } = prepared
      await store.lockReceiver(tx, organizationId)
      // Locks the account: the payout gets the coordinates that are approved.
      await requireRefundAccount(tx, prepared, asset, prepared.to.paymentAccountId)
      const payee = await store.findPayee(tx, [organizationId], prepared.to.paymentAccountId)
      if (payee?.customerId !== customerId || !payee.isApproved) throw notTheReceiver()
      await requireActive(tx, prepared)
      await requirePayable(deps, tx, prepared)
      const disbursementId = await reserveAndOwe(deps, tx, prepared, caller)
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'developer_fees.paid_out', subjectId: disbursementId }
      const details = { asset, amount: String(prepared.amount) }
      await deps.audit.append(tx, { organizationId, ...act, details })
      const created = await findDisbursement(tx, prepared, disbursementId)
      if (!created) throw notFound()
      return presentDisbursement(created, deps.currencyOf)
    },
  }
}

async function prepare(deps: FeePayoutDeps, caller: Caller, request: FeePayoutRequest): Promise<PreparedFeePayout> {
  const found = await store.findPayee(deps.database, caller.organizationIds, request.destinationPaymentAccountId)
  if (!found) throw notFound()
  const { isApproved, ...payee } = found
  if (!isApproved) throw notTheReceiver()
  await requireActive(deps.database, payee)
  const asset = readAsset(request)
  const wanted = readAmount(request.amount, asset)
  const collected = await store.readCollected(deps.database, payee.organizationId)
  const held = collected.filter((each) => each.asset === asset)
  const [largest] = held
  const free = await readFree(deps.database, payee.organizationId, asset, held)
  const most = BigInt(largest?.amount ?? 0)
  const amount = wanted ?? (free > 0n && free < most ? free : most)
  if (!largest || most < amount) throw tooLittle()
  if (free < amount) throw withheld()
  const to = await chooseRefundAccount(deps, payee, asset, request.destinationPaymentAccountId)
  if (!to) throw notFound()
  const refusal = checkLimits('amount', to.method, asset, amount)
  if (refusal) {
    const { code, field, message } = refusal
    throw new Refusal(code, `${field} ${message}`, { details: [{ field, message }] })
  }
  return { ...payee, asset, holding: largest.holding, amount, to }
}

async function requireActive(database: Parameters<typeof readEligibility>[0], customer: FeeReceiver) {
  const eligibility = await readEligibility(database, customer)
  if (eligibility.status === 'ACTIVE' && !isRejected(eligibility)) return
  throw new Refusal('CUSTOMER_NOT_ACTIVE', 'The customer that stands for your organization must be ACTIVE')
}

/** Reads what payouts may take of the collected fees in an asset: not the part that reversed or recalled deposits paid for. */
async function readFree(
  database: Queryable,
  organizationId: string,
  asset: Asset,
  held: readonly store.CollectedFees[],
): Promise<bigint> {
  return sumOf(held) - ((await store.readWithheld(database, organizationId)).get(asset) ?? 0n)
}

function sumOf(held: readonly store.CollectedFees[]): bigint {
  return held.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

/**
 * Requires that the ledger owes the fees that our holdings count: the signer trusts the ledger alone. The collected fees
 * are read first: only payouts take from them, and the receiver's lock keeps those out.
 */
async function requirePayable({ ledger }: FeePayoutDeps, tx: Tx, prepared: PreparedFeePayout) {
  const { organizationId, asset, amount } = prepared
  const held = (await store.readCollected(tx, organizationId)).filter((each) => each.asset === asset)
  const owed = await ledger.position(tx, organizationId, organizationAccount('DEVELOPER_FEES', asset))
  if (sumOf(held) >= amount && (await readFree(tx, organizationId, asset, held)) < amount) throw withheld()
  if (sumOf(held) <= owed) return
  throw new Refusal('INSUFFICIENT_BALANCE', 'The ledger has less of your fees than our holdings: an operator must look')
}

function readAsset({ currency, chain }: FeePayoutRequest): Asset {
  if (!assets.some((each) => labelOf(each) === currency)) {
    throw badField('currency', 'must be the code of a currency or token that Svc moves')
  }
  if (chain !== undefined && isFiat(currency)) throw badField('chain', `must be absent: ${currency} is on no network`)
  const asset = assetOf(currency, chain)
  if (!asset) throw badField('chain', `must be a network of ${currency}`)
  return asset
}

function readAmount(text: string | undefined, asset: Asset): bigint | undefined {
  if (text === undefined) return undefined
  const parsed = parseAmount(text, scaleOf(asset))
  if (!parsed.ok) throw badField('amount', parsed.problem)
  if (parsed.units === 0n) throw badField('amount', 'must be greater than zero')
  return parsed.units
}

/**
 * Counts the payout, posts the fees to the receiver, reserves them there, and owes the payout. The lock of the liquidity row comes last, as
 * everywhere: a second request that read the same balance takes nothing, and is rolled back.
 */
async function reserveAndOwe(
  { ledger, valueNow }: FeePayoutDeps,
  tx: Tx,
  prepared: PreparedFeePayout,
  { apiKeyId }: Caller,
): Promise<string> {
  const { organizationId, customerId, asset, amount, holding, to } = prepared
  const disbursementId = newId()
  const ordered = { organizationId, disbursementId, customerId, to, apiKeyId }
  await countDisbursement(tx, { ...ordered, usdCents: valueNow(asset, amount) })
  const paid = payDeveloperFees({ asset, amount, customerId })
  const reference = (step: 'fees' | 'reserve') => referenceFor({ payoutId: disbursementId }, step)
  requirePosted(await ledger.post(tx, [{ organizationId, reference: reference('fees'), ...paid }]))
  const account = returnedFundsOf(customerId, asset)
  const [reserved] = await ledger.reserve(tx, [{ organizationId, reference: reference('reserve'), account, amount }])
  if (reserved?.outcome !== 'RESERVED') throw new Error('developer fees could not be reserved after their posting')
  const sourceAccountId = await store.findFeeAccount(tx, organizationId, asset)
  if (!sourceAccountId) throw new Error(`organization ${organizationId} has no account of developer fees in ${asset}`)
  await oweDisbursement(tx, {
    organizationId,
    disbursementId,
    customerId,
    source: 'DEVELOPER_FEES',
    sourceAccountId,
    parts: [],
    asset,
    amount,
    to,
    heldAt: holding,
    fromWalletId: null,
  })
  if (!(await takeDeveloperFees(tx, prepared, amount))) throw tooLittle()
  return disbursementId
}

function notTheReceiver(): Refusal {
  return new Refusal(
    'CONFLICT',
    'Developer fees are paid only to own accounts of the customer that stands for the organization, with the coordinates ' +
      'that they had when PUT /developer-fees/receiver named it: name it again to approve newer ones',
  )
}

function tooLittle(): Refusal {
  return new Refusal(
    'INSUFFICIENT_BALANCE',
    'No holding of ours has this amount of your fees: a part may be paid out already, or not be collected yet',
  )
}

function withheld(): Refusal {
  const message =
    'is more than can be paid: banks or chains took back, or recall, deposits that paid a part of your fees'
  return new Refusal('INSUFFICIENT_BALANCE', `amount ${message}`, { details: [{ field: 'amount', message }] })
}
