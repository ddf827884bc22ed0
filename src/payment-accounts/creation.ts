import { isAsset, methodsOf, tokenContracts } from '../catalog/currencies.ts'
import { kindOf, type NetworkKind } from '../catalog/network-kinds.ts'
import type { CustomerStatus } from '../customers/customer.ts'
import type { CustomerKey, OpenCustomer } from '../customers/sealed-customer.ts'
import type { Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { badFields, type FieldProblem, notFound, Refusal, unavailable } from '../lib/refusal.ts'
import { presentMetadata } from '../lib/resources/own-data.ts'
import type { Validated } from '../lib/validated.ts'
import type { Finding } from '../verification/submission.ts'
import { emitAccount, type Methods, type PaymentAccountDeps, requireAvailable, requireOffered } from './access.ts'
import { hashBankAccount, hashWallet } from './account-hash.ts'
import { bankProfile, readBankAccount } from './bank-accounts/bank-account.ts'
import { issuedProblems, openVirtualAccount } from './bank-accounts/virtual-account.ts'
import { destinationProblems } from './destination.ts'
import {
  type AccountProfile,
  networksOf,
  type PaymentAccount,
  type PaymentAccountType,
  statusesFor,
  statusesWithAccounts,
} from './payment-account.ts'
import type { PaymentAccountView } from './present.ts'
import { kindProblems, type NewAccountRequest, prefixFields } from './request.ts'
import { sealBankDetails, sealProfile } from './sealed-account.ts'
import * as store from './store.ts'
import { readExternalWallet } from './wallets/external-wallet.ts'

/** An account ready to store. It is prepared before the tx, because a bank may have to open an account. */
export type PreparedAccount = {
  opened: OpenCustomer
  key: CustomerKey
  /** The statuses in which the customer may have this account. */
  customerStatuses: readonly CustomerStatus[]
  paymentAccountId: string
  paymentAccountType: PaymentAccountType
  isThirdParty: boolean
  profile: AccountProfile
  externalId: string | null
  kind: Kind
}

/** The fields that differ between account types. */
type Kind = Partial<
  Pick<
    PaymentAccount,
    | 'currency'
    | 'paymentMethod'
    | 'walletType'
    | 'address'
    | 'destinationPaymentAccountId'
    | 'destinationCurrency'
    | 'destinationPaymentMethod'
    | 'sealedDetails'
  >
> & {
  profile?: AccountProfile
  accountHash?: Buffer
  receivingHash?: Buffer | null
  isPending?: boolean
  matches?: readonly Finding[]
}

type Draft = {
  deps: PaymentAccountDeps
  request: NewAccountRequest
  opened: OpenCustomer
  key: CustomerKey
  paymentAccountId: string
}
/** The deployment must offer at least one method of each list in `methods`. */
type ReadKind = { problems: FieldProblem[]; methods?: readonly Methods[]; createKind?: () => Promise<Kind> }

export function createAccountCreationService(deps: PaymentAccountDeps) {
  return {
    /** Reports a missing customer and its status before problems of the rest of the body. */
    prepareCreate: async (caller: Caller, inspected: Validated<NewAccountRequest>): Promise<PreparedAccount> => {
      const request = (inspected.value ?? {}) as NewAccountRequest
      const { customerId, paymentAccountType } = request
      if (typeof customerId !== 'string' || !isUuid(customerId)) throw badRequest(inspected, kindProblems(request))
      const opened = await deps.customers.openFor(caller, customerId)
      const customerStatuses = statusesFor(request, caller.scopes.has('reviews:write'))
      const key = requireEligible(opened, customerStatuses)
      const paymentAccountId = newId()
      const read = await readKind({ deps, request, opened, key, paymentAccountId })
      const problems = [...kindProblems(request), ...read.problems]
      if (!inspected.ok || problems.length > 0 || !read.createKind) throw badRequest(inspected, problems)
      requireOffered(deps, read.methods ?? [])
      const isOutside =
        paymentAccountType === 'EXTERNAL_BANK_ACCOUNT' || paymentAccountType === 'EXTERNAL_CRYPTO_WALLET'
      await requireAvailable(isOutside ? deps.awaitsMoneyBack : undefined, opened, read.methods ?? [])
      const kind = await read.createKind()
      const { nickname, isThirdParty = false, externalId = null } = request
      const profile = { ...(nickname ? { nickname } : {}), ...presentMetadata(request), ...kind.profile }
      const about = { externalId, paymentAccountId, paymentAccountType, isThirdParty, profile, kind }
      return { opened, key, customerStatuses, ...about }
    },

    create: async (tx: Tx, caller: Caller, prepared: PreparedAccount): Promise<PaymentAccountView> => {
      const { opened, key, kind, profile, paymentAccountId, paymentAccountType, isThirdParty } = prepared
      const { organizationId, customerId, dataKeyId } = opened.customer
      const { matches = [] } = kind
      // Every writer locks the review before the customer, whom the insert locks.
      if (matches.length > 0) await deps.walletScreening.openReview(tx, opened.customer, matches)
      await lockDestination(tx, organizationId, kind)
      const account = await store.insertAccount(tx, {
        organizationId,
        customerId,
        dataKeyId,
        paymentAccountId,
        paymentAccountType,
        isThirdParty,
        status: kind.isPending ? 'PENDING' : 'ACTIVE',
        currency: kind.currency ?? null,
        paymentMethod: kind.paymentMethod ?? null,
        walletType: kind.walletType ?? null,
        address: kind.address ?? (await assignAddress(deps, tx, prepared)),
        destinationPaymentAccountId: kind.destinationPaymentAccountId ?? null,
        destinationCurrency: kind.destinationCurrency ?? null,
        destinationPaymentMethod: kind.destinationPaymentMethod ?? null,
        accountHash: kind.accountHash ?? null,
        receivingHash: kind.receivingHash ?? null,
        sealedProfile: sealProfile(key, prepared, profile),
        sealedDetails: kind.sealedDetails ?? null,
        customerStatuses: prepared.customerStatuses,
        externalId: prepared.externalId,
        apiKeyId: kind.destinationPaymentAccountId ? caller.apiKeyId : null,
      })
      if (!account) throw noNewAccounts()
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'payment_account.created' }
      const { destinationPaymentAccountId } = kind
      const details = { paymentAccountType, ...(destinationPaymentAccountId ? { destinationPaymentAccountId } : {}) }
      await deps.audit.append(tx, { organizationId, ...act, subjectId: paymentAccountId, details })
      return emitAccount(deps, tx, 'payment_account.created', { account, key, profile })
    },
  }
}

async function assignAddress(
  { addresses }: PaymentAccountDeps,
  tx: Tx,
  { opened, kind, paymentAccountId }: PreparedAccount,
): Promise<string | null> {
  if (!kind.walletType) return null
  const { organizationId, customerId } = opened.customer
  const wallet = { organizationId, customerId, paymentAccountId, kind: kind.walletType }
  const assigned = await addresses.assignAddress(tx, wallet)
  if (!assigned) throw unavailable('No wallet address is ready: retry', 5)
  return assigned.address
}

/** Locks the destination, which may have been deleted since it was read. It cannot be deleted before the tx ends. */
async function lockDestination(tx: Tx, organizationId: string, kind: Kind): Promise<void> {
  if (!kind.destinationPaymentAccountId) return
  const destination = await store.lockAccount(tx, organizationId, kind.destinationPaymentAccountId, 'use')
  if (destination?.status !== 'ACTIVE') throw destinationMustBeActive()
}

function readKind(draft: Draft): Promise<ReadKind> | ReadKind {
  switch (draft.request.paymentAccountType) {
    case 'EXTERNAL_BANK_ACCOUNT':
      return readBankKind(draft)
    case 'EXTERNAL_CRYPTO_WALLET':
      return readWalletKind(draft)
    case 'SVC_CRYPTO_WALLET':
      return readServiceWalletKind(draft.request)
    case 'SVC_AUTO_FIAT_ACCOUNT':
      return readAutoFiatKind(draft)
    default:
      return { problems: [] }
  }
}

function readServiceWalletKind({ svcCryptoWallet }: NewAccountRequest): ReadKind {
  const walletType = svcCryptoWallet?.cryptoWalletType as NetworkKind
  return { problems: [], methods: [networksOf(walletType)], createKind: async () => ({ walletType }) }
}

/** Reads a bank account. Without details it becomes PENDING until its hosted form is completed. */
async function readBankKind({ deps, request, opened, key, paymentAccountId }: Draft): Promise<ReadKind> {
  if (request.externalBankAccount === undefined) return { problems: [], createKind: async () => ({ isPending: true }) }
  const holder = { name: opened.profile?.name ?? '', isThirdParty: request.isThirdParty === true }
  const { details, problems } = readBankAccount(request.externalBankAccount, holder)
  const issued = details ? await issuedProblems(deps, details) : []
  const named = prefixFields('externalBankAccount', [...problems, ...issued])
  if (!details) return { problems: named }
  const createKind = async (): Promise<Kind> => ({
    currency: details.currency,
    paymentMethod: details.paymentMethod,
    accountHash: hashBankAccount(deps.hashKey, details),
    sealedDetails: sealBankDetails(key, { paymentAccountId }, details),
    profile: bankProfile(details, opened.profile?.email),
  })
  return { problems: named, methods: [[details.paymentMethod]], createKind }
}

async function readWalletKind({ deps, request, paymentAccountId }: Draft): Promise<ReadKind> {
  const contracts = tokenContracts(deps.sandboxContracts())
  const { wallet, problems } = readExternalWallet(request.externalCryptoWallet, contracts)
  const named = prefixFields('externalCryptoWallet', problems)
  if (!wallet) return { problems: named }
  if (await deps.addresses.isOwnAddress(kindOf(wallet.chain), wallet.address)) {
    const message = 'must not be an address of this service: name the service wallet instead'
    return { problems: [{ field: 'externalCryptoWallet.address', message }] }
  }
  const { currency, chain: paymentMethod, address } = wallet
  const accountHash = hashWallet(deps.hashKey, wallet)
  const createKind = async () => {
    const matches = await deps.walletScreening.screen({ paymentAccountId, chain: paymentMethod, address })
    return { currency, paymentMethod, address, accountHash, matches }
  }
  return { problems: named, methods: [[paymentMethod]], createKind }
}

async function readAutoFiatKind({ deps, request, opened, paymentAccountId }: Draft): Promise<ReadKind> {
  const { svcAutoFiatAccount: sent } = request
  const destinationId = sent?.destinationPaymentAccountId
  if (typeof destinationId !== 'string' || !isUuid(destinationId)) return { problems: [] }
  const { organizationId, customerId } = opened.customer
  const destination = await store.findAccount(deps.database, [organizationId], destinationId)
  if (destination?.customerId !== customerId) throw notFound()
  if (destination.status !== 'ACTIVE') throw destinationMustBeActive()
  const { currency, destinationCurrency, destinationPaymentMethod } = sent ?? {}
  const isComplete = [currency, destinationCurrency, destinationPaymentMethod].every((each) => typeof each === 'string')
  if (!isComplete || !currency || !destinationCurrency || !destinationPaymentMethod) return { problems: [] }
  const requested = { currency: destinationCurrency, paymentMethod: destinationPaymentMethod }
  const problems = prefixFields('svcAutoFiatAccount', destinationProblems(destination, requested))
  if (destinationCurrency === currency) {
    const message = 'must differ from the currency of the deposits'
    problems.push({ field: 'svcAutoFiatAccount.destinationCurrency', message })
  }
  const createKind = async (): Promise<Kind> => {
    const wanted = { organizationId, paymentAccountId, currency }
    const { bankName, coordinates, receivingHash } = await openVirtualAccount(deps, wanted)
    return {
      currency,
      destinationPaymentAccountId: destination.paymentAccountId,
      destinationCurrency,
      destinationPaymentMethod,
      receivingHash,
      profile: { bankName, coordinates },
    }
  }
  const rails = isAsset(currency) ? methodsOf(currency) : []
  return { problems, methods: [rails, [destinationPaymentMethod]], createKind }
}

/** Requires a customer who may have new accounts, and returns the key to seal with. */
export function requireEligible(
  { customer, key }: OpenCustomer,
  statuses: readonly CustomerStatus[] = statusesWithAccounts,
): CustomerKey {
  if (!key) throw new Refusal('CONFLICT', 'The customer is erased')
  if (!statuses.includes(customer.status)) throw noNewAccounts()
  return key
}

export function noNewAccounts(): Refusal {
  return new Refusal('CONFLICT', `The customer must be ${statusesWithAccounts.join(', ')} to have new accounts`)
}

function destinationMustBeActive(): Refusal {
  return new Refusal('CONFLICT', 'The destination payment account must be ACTIVE')
}

/** Builds a 400 with the first problem of each field. */
export function badRequest(inspected: Validated<unknown>, found: readonly FieldProblem[]): Refusal {
  const seen = new Set<string>()
  const all = [...(inspected.ok ? [] : inspected.problems), ...found]
  return badFields(all.filter(({ field }) => !seen.has(field) && seen.add(field)))
}
