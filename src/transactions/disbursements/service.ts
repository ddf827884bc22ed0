import { type Asset, assetOf, assets, chainOf, isFiat, labelOf, scaleOf } from '../../catalog/currencies.ts'
import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Queryable, Tx } from '../../db/database.ts'
import type { AccountName } from '../../ledger/account.ts'
import { returnedFundsOf, walletOf } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { newId } from '../../lib/ids.ts'
import { parseAmount } from '../../lib/money.ts'
import type { PageRequest, Pages } from '../../lib/pages.ts'
import { badField, notFound, Refusal } from '../../lib/refusal.ts'
import type { DepositPresentation } from '../deposits/change.ts'
import { payoutMoves } from '../payouts/payout.ts'
import { chooseRefundAccount, type RefundDestination, requireRefundAccount } from '../refunds/refund-account.ts'
import { readReturnedFunds } from '../refunds/returned-funds-store.ts'
import { type MatchAuthority, requireAuthority, requireScope } from '../resolutions/authority.ts'
import { reviewStillOpen } from '../resolutions/transactions.ts'
import type { AccountScreeningDeps } from '../screening/account.ts'
import { type CustomerEligibility, isRejected } from '../screening/eligibility.ts'
import { readEligibility } from '../screening/eligibility-store.ts'
import { stepMoney } from '../timeline/timeline.ts'
import { addLiquidity } from '../treasury/liquidity-store.ts'
import { chooseParts } from './disbursement.ts'
import { countDisbursement, oweDisbursement } from './obligation.ts'
import { lockCauses, lockCausesOf, referenceFor, releaseDisbursement, showOnCauses } from './settlement.ts'
import * as store from './store.ts'
import { presentDisbursement, presentReturnedFunds } from './wire.ts'

export type DisbursementRequest = {
  /** The source: an account of returned funds, or a service wallet of the customer. */
  paymentAccountId: string
  currency: string
  chain?: string
  amount?: string
  destinationPaymentAccountId: string
  /** For reviewers of the customer; it may hold personal data. */
  reason: string
}

/** A checked request, and the customer whose key encrypts the operator's reason. */
export type PreparedDisbursement = {
  opened: OpenCustomer
  source: store.SourceAccount
  asset: Asset
  /** Undefined: all that one payout can take from the source. */
  amount: bigint | undefined
  to: RefundDestination
  reason: string
}

export type DisbursementDeps = DepositPresentation &
  AccountScreeningDeps & {
    database: Database
    pages: Pages
    ledger: LedgerService
    audit: Audit
    customers: Pick<CustomerService, 'open' | 'openFor' | 'recordAct'>
    authority: MatchAuthority
    valueNow(asset: Asset, amount: bigint): bigint | undefined
  }

export type DisbursementService = ReturnType<typeof createDisbursementService>

/** Pays out money that Svc keeps for a customer, on an operator's order, once, and records it in the audit log. */
export function createDisbursementService(deps: DisbursementDeps) {
  const { currencyOf } = deps
  return {
    ...createReadOperations(deps),

    /** Checks the request and screens the destination. Must run outside a database transaction. */
    prepare: async (
      caller: Caller,
      customerId: string,
      readRequest: () => DisbursementRequest,
    ): Promise<PreparedDisbursement> => {
      const opened = await deps.customers.open(await deps.authority.organizationIdsOf(caller), customerId)
      if (!opened) throw notFound()
      const wanted = readRequest()
      const source = await store.findSourceAccount(deps.database, opened.customer, wanted.paymentAccountId)
      if (!source) throw notFound()
      const asset = readAsset(wanted, source)
      const amount = readAmount(wanted.amount, asset)
      const eligibility = await readEligibility(deps.database, opened.customer)
      await requireAllowed(
        deps,
        caller,
        { organizationId: opened.customer.organizationId, source, within: deps.database },
        eligibility,
      )
      const to = await chooseRefundAccount(deps, opened.customer, asset, wanted.destinationPaymentAccountId)
      if (!to) throw notFound()
      return { opened, source, asset, amount, to, reason: wanted.reason }
    },

    /** Reserves the money and owes the payout. */
    create: async (tx: Tx, caller: Caller, prepared: PreparedDisbursement) => {
      const { opened, source, reason } = prepared
      const { organizationId, customerId } = opened.customer
      const eligibility = await readEligibility(tx, opened.customer)
      const isReleased = await requireAllowed(deps, caller, { organizationId, source, within: tx }, eligibility)
      const disbursementId = await reserveAndOwe(deps, tx, prepared, { isReleased, apiKeyId: caller.apiKeyId })
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'disbursement.created', subjectId: disbursementId }
      await deps.customers.recordAct(tx, opened, { ...act, reason })
      const created = await store.findDisbursement(tx, { organizationId, customerId }, disbursementId)
      if (!created) throw notFound()
      return presentDisbursement(created, currencyOf)
    },

    find: (caller: Caller, customerId: string, disbursementId: string) =>
      find(deps, caller, customerId, disbursementId),

    /** Withdraws a disbursement before it is sent, and releases its reserve. */
    cancel: async (tx: Tx, caller: Caller, { opened, disbursement }: Awaited<ReturnType<typeof find>>) => {
      const { disbursementId } = disbursement
      const payout = await store.withdrawDisbursement(tx, disbursement, payoutMoves.withdraw)
      if (!payout) throw new Refusal('CONFLICT', 'A disbursement can be cancelled only until it is sent')
      const causes = await lockCausesOf(tx, payout)
      const freed = await releaseDisbursement(deps, tx, payout)
      await showOnCauses(tx, causes, 'WITHDRAWN', { disbursementId })
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'disbursement.cancelled', subjectId: disbursementId }
      await deps.audit.append(tx, { organizationId: opened.customer.organizationId, ...act })
      await addLiquidity(tx, freed)
      return presentDisbursement({ ...disbursement, status: 'CANCELLED' }, currencyOf)
    },
  }
}

function createReadOperations(deps: DisbursementDeps) {
  const { database, pages, currencyOf } = deps
  return {
    /** Lists the returned funds that are left, by their cause. */
    listReturnedFunds: async (caller: Caller, customerId: string) => {
      const { customer } = await deps.customers.openFor(caller, customerId)
      return presentReturnedFunds(await readReturnedFunds(database, customer), currencyOf)
    },

    list: async (caller: Caller, customerId: string, request: PageRequest) => {
      const { customer } = await deps.customers.openFor(caller, customerId)
      const { items, nextPageToken } = await pages.read(
        { list: 'disbursements', filters: { for: caller.organizationId, customerId: customer.customerId } },
        request,
        (slice) => store.listDisbursements(database, customer, slice),
        ({ disbursementId }) => disbursementId,
      )
      return { disbursements: items.map((each) => presentDisbursement(each, currencyOf)), nextPageToken }
    },

    read: async (caller: Caller, customerId: string, disbursementId: string) => {
      const { disbursement } = await find(deps, caller, customerId, disbursementId)
      return presentDisbursement(disbursement, currencyOf)
    },
  }
}

async function find(deps: DisbursementDeps, caller: Caller, customerId: string, disbursementId: string) {
  const opened = await deps.customers.openFor(caller, customerId)
  const disbursement = await store.findDisbursement(deps.database, opened.customer, disbursementId)
  if (!disbursement) throw notFound()
  return { opened, disbursement }
}

/**
 * Refuses what an operator may not order. Money of a customer who is not ACTIVE needs a reviewer's scope, and of one
 * whose match was confirmed a person who clears matches: true when the caller releases it in spite of a confirmed match. A caller who may not read reviews does not
 * learn of an open one: the payout waits for its decision.
 */
async function requireAllowed(
  { authority }: DisbursementDeps,
  caller: Caller,
  { organizationId, source, within }: { organizationId: string; source: store.SourceAccount; within: Queryable },
  customer: CustomerEligibility,
): Promise<boolean> {
  const isBlocked = customer.status !== 'ACTIVE' || isRejected(customer)
  await requireAuthority(authority, caller, { organizationId, isMatch: customer.isMatchConfirmed, within })
  if (isBlocked) requireScope(caller, 'reviews:write')
  if (customer.hasOpenMatch && caller.scopes.has('reviews:write')) throw reviewStillOpen()
  if (source.source === 'WALLET' && source.status === 'ACTIVE' && !isBlocked) {
    throw new Refusal('CONFLICT', 'An ACTIVE customer pays from this wallet with a transaction')
  }
  return customer.isMatchConfirmed
}

function readAsset({ currency, chain }: DisbursementRequest, source: store.SourceAccount): Asset {
  const isKnown = assets.some((each) => labelOf(each) === currency)
  if (!isKnown) throw badField('currency', 'must be the code of a currency or token that Svc moves')
  if (chain !== undefined && isFiat(currency)) throw badField('chain', `must be absent: ${currency} is on no network`)
  const asset = assetOf(currency, chain)
  if (!asset) throw badField('chain', `must be a network of ${currency}`)
  if (source.source === 'RETURNED_FUNDS' && source.asset !== asset) {
    throw badField('currency', `must be the one of these returned funds: ${describeAsset(source.asset as Asset)}`)
  }
  if (source.source === 'WALLET' && isFiat(asset)) throw badField('currency', 'must be a token of this wallet')
  return asset
}

function describeAsset(asset: Asset): string {
  return isFiat(asset) ? asset : `${labelOf(asset)} on ${chainOf(asset)}`
}

function readAmount(text: string | undefined, asset: Asset): bigint | undefined {
  if (text === undefined) return undefined
  const parsed = parseAmount(text, scaleOf(asset))
  if (!parsed.ok) throw badField('amount', parsed.problem)
  if (parsed.units === 0n) throw badField('amount', 'must be greater than zero')
  return parsed.units
}

/** Counts, reserves, then owes: two operators never pay more than the balance. Answers the id of the disbursement. */
async function reserveAndOwe(
  deps: DisbursementDeps,
  tx: Tx,
  prepared: PreparedDisbursement,
  { isReleased, apiKeyId }: { isReleased: boolean; apiKeyId: string },
): Promise<string> {
  const { opened, source, asset, to } = prepared
  const { organizationId, customerId } = opened.customer
  const disbursementId = newId()
  const { causes, chosen } = await (source.source === 'WALLET' ? takeFromWallet : takeReturnedFunds)(deps, tx, {
    ...prepared,
    disbursementId,
    apiKeyId,
  })
  await oweDisbursement(tx, {
    organizationId,
    disbursementId,
    customerId,
    source: source.source,
    sourceAccountId: source.accountId,
    parts: chosen.parts,
    asset,
    amount: chosen.amount,
    to,
    heldAt: chosen.heldAt,
    fromWalletId: chosen.walletId,
    isReleased,
  })
  await showOnCauses(tx, causes, 'OWED', { disbursementId, ...stepMoney(chosen.amount, asset) })
  return disbursementId
}

type Wanted = PreparedDisbursement & { disbursementId: string; apiKeyId: string }

async function takeFromWallet(deps: DisbursementDeps, tx: Tx, wanted: Wanted) {
  const { opened, source, asset } = wanted
  const balances = await deps.ledger.balances(tx, opened.customer.organizationId, source.accountId)
  const amount = wanted.amount ?? balances.find((each) => each.asset === asset)?.available ?? 0n
  await reserve(deps, tx, wanted, walletOf(source.accountId, asset), amount)
  return { causes: [], chosen: { amount, heldAt: 'CUSTODY', walletId: source.accountId, parts: [] } }
}

/**
 * Takes returned funds, oldest cause first. The locks of their transactions keep repayments out, and the reserve's lock
 * keeps other disbursements out: what is read after both cannot be taken twice.
 */
async function takeReturnedFunds(deps: DisbursementDeps, tx: Tx, wanted: Wanted) {
  const { opened, source, asset } = wanted
  const { organizationId, customerId } = opened.customer
  const read = async () =>
    (await readReturnedFunds(tx, opened.customer)).filter(({ accountId }) => accountId === source.accountId)
  const seen = await read()
  const transactionIds = seen.flatMap(({ cause, causeId }) => (cause === 'TRANSACTION' ? causeId : []))
  const locked = await lockCauses(tx, organizationId, transactionIds)
  const { amount } = chooseParts(seen, wanted.amount) ?? { amount: wanted.amount ?? 0n }
  await reserve(deps, tx, wanted, returnedFundsOf(customerId, asset), amount)
  const known = new Set(seen.map(({ causeId }) => causeId))
  const chosen = chooseParts(
    (await read()).filter(({ causeId }) => known.has(causeId)),
    amount,
  )
  if (!chosen) throw tooLittle()
  const taken = new Set(chosen.parts.map(({ causeId }) => causeId))
  return { causes: locked.filter(({ transactionId }) => taken.has(transactionId)), chosen }
}

async function reserve(
  { ledger, valueNow }: DisbursementDeps,
  tx: Tx,
  { opened, asset, to, disbursementId, apiKeyId }: Wanted,
  account: AccountName,
  amount: bigint,
): Promise<void> {
  if (amount <= 0n) throw tooLittle()
  const { organizationId, customerId } = opened.customer
  // Locks the account row, so that it cannot be deleted before this commits.
  await requireRefundAccount(tx, opened.customer, asset, to.paymentAccountId)
  const ordered = { organizationId, disbursementId, customerId, to, apiKeyId }
  await countDisbursement(tx, { ...ordered, usdCents: valueNow(asset, amount) })
  const reference = referenceFor({ payoutId: disbursementId }, 'reserve')
  const [reserved] = await ledger.reserve(tx, [{ organizationId, reference, account, amount }])
  if (reserved?.outcome !== 'RESERVED') throw tooLittle()
}

function tooLittle(): Refusal {
  return new Refusal(
    'INSUFFICIENT_BALANCE',
    'One payout cannot take this amount from the source: too little is left, or it is kept at several places',
  )
}
