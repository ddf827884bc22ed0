import type { Network } from '../../catalog/currencies.ts'
import { kindOf } from '../../catalog/network-kinds.ts'
import type { SealService } from '../../custody/seals.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { OpenAccount } from '../../payment-accounts/sealed-account.ts'
import type { PaymentAccountService } from '../../payment-accounts/service.ts'
import { isOwnMovement, type Payout } from './payout.ts'
import type { OrderFacts, Originator, PayoutDestination, PayoutOrder, PayoutSource } from './rail.ts'

export type OrderDeps = {
  paymentAccounts: Pick<PaymentAccountService, 'open' | 'openMany' | 'openVersion' | 'readBankDetails' | 'isHashRight'>
  seals: SealService
  customers: Pick<CustomerService, 'open' | 'openMany' | 'readIdentity'>
  custody: Pick<CustodyService, 'findServiceAddress' | 'findReserveAddress'>
}

/** The order as the rail gets it, or the reason why it must not leave. */
export type BuiltOrder = { order: PayoutOrder } | { problem: string }

/** Builds the order from values that it has checked against both seals. What was altered afterwards is not read. */
export async function buildOrder(
  deps: OrderDeps,
  payout: Payout,
  decided: Pick<PayoutOrder, 'attempt' | 'notAfter'>,
): Promise<BuiltOrder> {
  const opened = await openAccount(deps, payout)
  const problem = await findProblem(deps, payout, opened)
  if (problem !== undefined) return { problem }
  const destination = isOwnMovement(payout) ? await findOwnAddress(deps, payout) : readDestination(deps, payout, opened)
  const originator = await readOriginator(deps, payout)
  return { order: { ...factsOf(payout), memo: payout.shortReference, destination, originator, ...decided } }
}

/**
 * Reads the accounts and customers of many payouts and the addresses of ours once, and opens and checks each account
 * once. The statements name all organizations of the payouts, and each payout finds only what belongs to its own.
 */
export async function readAhead<Deps extends OrderDeps>(deps: Deps, payouts: readonly Payout[]): Promise<Deps> {
  const idsOf = (read: (payout: Payout) => string | null) => [...new Set(payouts.flatMap((each) => read(each) ?? []))]
  const organizationIds = idsOf(({ organizationId }) => organizationId)
  const [openedAccounts, openedCustomers] = await Promise.all([
    deps.paymentAccounts.openMany(
      organizationIds,
      idsOf(({ paymentAccountId }) => paymentAccountId),
    ),
    deps.customers.openMany(
      organizationIds,
      idsOf(({ customerId }) => customerId),
    ),
  ])
  const accounts = new Map(
    openedAccounts.map((each) => [`${each.account.organizationId} ${each.account.paymentAccountId}`, each]),
  )
  const customers = new Map(
    openedCustomers.map((each) => [`${each.customer.organizationId} ${each.customer.customerId}`, each]),
  )
  const { custody, paymentAccounts } = deps
  const ownAddresses = new Map<string, Promise<string | undefined>>()
  /** Reads an address of ours once for all payouts. */
  const findOnce = (name: string, find: () => Promise<string | undefined>): Promise<string | undefined> => {
    const address = ownAddresses.get(name) ?? find()
    ownAddresses.set(name, address)
    return address
  }
  return {
    ...deps,
    paymentAccounts: {
      ...paymentAccounts,
      openVersion: async (of, id, version) => {
        const found = accounts.get(`${of} ${id}`)
        return found?.account.detailsVersion === version ? found : paymentAccounts.openVersion(of, id, version)
      },
      readBankDetails: oncePerObject(paymentAccounts.readBankDetails),
      isHashRight: oncePerObject(paymentAccounts.isHashRight),
    },
    custody: {
      ...custody,
      findServiceAddress: (kind, role) => findOnce(`${kind} ${role}`, () => custody.findServiceAddress(kind, role)),
      findReserveAddress: (kind) => findOnce(`${kind} reserve`, () => custody.findReserveAddress(kind)),
    },
    customers: { ...deps.customers, open: async ([of], id) => customers.get(`${of} ${id}`) },
    seals: { ...deps.seals, isAccountSealed: oncePerObject(deps.seals.isAccountSealed) },
  }
}

/** Keeps the answer for each object. */
function oncePerObject<Argument extends object, Answer>(
  compute: (argument: Argument) => Answer,
): (argument: Argument) => Answer {
  const answers = new Map<Argument, Answer>()
  return (argument) => {
    if (!answers.has(argument)) answers.set(argument, compute(argument))
    return answers.get(argument) as Answer
  }
}

/** Opens the account that receives, with the coordinates of the obligation; undefined when an address of ours does. */
async function openAccount({ paymentAccounts }: OrderDeps, payout: Payout): Promise<OpenAccount | undefined> {
  const { organizationId, paymentAccountId, detailsVersion } = payout
  return paymentAccountId === null
    ? undefined
    : paymentAccounts.openVersion(organizationId, paymentAccountId, detailsVersion)
}

function readDestination(
  { paymentAccounts }: OrderDeps,
  { payoutId }: Payout,
  opened: OpenAccount | undefined,
): PayoutDestination {
  const details = opened && paymentAccounts.readBankDetails(opened)
  if (details) return { type: 'BANK', details }
  const address = opened?.account.address
  if (!address) throw new Error(`payout ${payoutId}: its payment account has no readable bank details or address`)
  return { type: 'ADDRESS', address }
}

/** Finds our treasury or reserve. The signer alone can register these addresses. */
async function findOwnAddress(
  { custody }: OrderDeps,
  { payoutId, purpose, method }: Payout,
): Promise<PayoutDestination> {
  const kind = kindOf(method as Network)
  const isToReserve = purpose === 'REBALANCE'
  const address = await (isToReserve ? custody.findReserveAddress(kind) : custody.findServiceAddress(kind, 'TREASURY'))
  if (address === undefined) {
    throw new Error(
      `payout ${payoutId}: the signer has registered no ${isToReserve ? 'reserve' : 'treasury'} on ${method}`,
    )
  }
  return { type: 'ADDRESS', address }
}

export function factsOf(payout: Payout): OrderFacts {
  const { payoutId: reference, shortReference, purpose, method, asset, amount } = payout
  return { reference, shortReference, purpose, method, asset, amount: BigInt(amount), from: sourceOf(payout) }
}

function sourceOf({ payoutId, fromWalletId, paysFrom }: Payout): PayoutSource {
  if (fromWalletId !== null) return { type: 'WALLET', walletId: fromWalletId }
  if (paysFrom === null) throw new Error(`payout ${payoutId} names no holding that pays`)
  return paysFrom === 'TREASURY' ? { type: 'TREASURY' } : { type: 'BANK_ACCOUNT', bankAccountId: paysFrom }
}

/** Reads for whom we pay. After an erasure only the id is left. */
async function readOriginator({ customers }: OrderDeps, { organizationId, customerId }: Payout): Promise<Originator> {
  if (customerId === null) return { customerId, name: '' }
  const opened = await customers.open([organizationId], customerId)
  const { kycData, kybData } = opened ? customers.readIdentity(opened) : {}
  const address = kycData?.address ?? kybData?.businessRegisteredAddress
  const isBusiness = kybData !== undefined
  return { customerId, name: opened?.profile?.name ?? '', isBusiness, ...(address ? { address } : {}) }
}

/** Tells how an open payout or its account differs from what the signer sealed. */
export async function findSealProblem(deps: OrderDeps, payout: Payout): Promise<string | undefined> {
  return findProblem(deps, payout, await openAccount(deps, payout))
}

async function findProblem(
  { paymentAccounts, seals }: OrderDeps,
  payout: Payout,
  opened: OpenAccount | undefined,
): Promise<string | undefined> {
  if (!(await seals.isObligationSealed(payout))) return 'the seal of the obligation is wrong'
  if (payout.isWithdrawn) return 'it was withdrawn'
  if (isOwnMovement(payout)) return undefined
  const account = opened?.account
  if (!account || account.customerId !== payout.customerId) return 'its account does not belong to its customer'
  if (account.status !== 'ACTIVE') return 'its account is not ACTIVE'
  if (!(await seals.isAccountSealed(account))) return 'the seal of its account is wrong'
  return paymentAccounts.isHashRight(opened) ? undefined : 'the hash of its account is wrong'
}
