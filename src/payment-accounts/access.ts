import { type Asset, currencyOf, type Environment, type SandboxContracts } from '../catalog/currencies.ts'
import { availableMethods } from '../catalog/payment-methods.ts'
import type { SealService } from '../custody/seals.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, Tx } from '../db/database.ts'
import { appendEvent } from '../db/outbox/events.ts'
import type { Vault } from '../encryption/data-keys.ts'
import type { LedgerService } from '../ledger/service.ts'
import type { Caller } from '../lib/caller.ts'
import { createFormToken } from '../lib/form-link.ts'
import { newId } from '../lib/ids.ts'
import type { Pages } from '../lib/pages.ts'
import { notFound, Refusal } from '../lib/refusal.ts'
import { type PaymentAccount, statusesWithAccounts } from './payment-account.ts'
import type {
  AccountUse,
  AwaitsMoneyBack,
  IsOurAccount,
  UsdValue,
  VirtualAccounts,
  WalletAddresses,
  WalletScreening,
} from './ports.ts'
import { type PaymentAccountView, presentAccount } from './present.ts'
import { type OpenAccount, unsealAccount } from './sealed-account.ts'
import * as store from './store.ts'

export type PaymentAccountDeps = {
  database: Database
  pages: Pages
  vault: Vault
  audit: Audit
  customers: Pick<CustomerService, 'openFor' | 'open'>
  environment: Environment
  /** The rails and networks that this deployment offers. An account needs at least one of them. */
  configuredMethods: readonly string[]
  /** The token contracts on the sandbox's own chains. */
  sandboxContracts(): SandboxContracts
  formKey: Buffer
  formsUrl(): string
  /** The key of the hashes that detect duplicate accounts. */
  hashKey: Buffer
  addresses: WalletAddresses<Tx>
  seals: SealService
  walletScreening: WalletScreening<Tx>
  /** Undefined if no bank opens virtual accounts for this deployment. */
  virtualAccounts: VirtualAccounts | undefined
  isOurAccount: IsOurAccount
  /** How many auto fiat accounts an organization can open: numbers are issued once, and all share the ranges. */
  mostVirtualAccounts: number
  awaitsMoneyBack: AwaitsMoneyBack
  /** Checks of other capabilities that may be using an account. */
  uses: readonly AccountUse<Tx>[]
  ledger: Pick<LedgerService, 'balances' | 'entries'>
  usdValueOf: UsdValue
}

export async function openAccount(
  deps: PaymentAccountDeps,
  caller: Caller,
  paymentAccountId: string,
): Promise<OpenAccount> {
  const found = await openById(deps, caller.organizationIds, paymentAccountId)
  if (!found) throw notFound()
  return found
}

export async function openById(
  { database, vault }: PaymentAccountDeps,
  organizationIds: readonly string[],
  paymentAccountId: string,
): Promise<OpenAccount | undefined> {
  const account = await store.findAccount(database, organizationIds, paymentAccountId)
  return account && openStored(vault, account)
}

/** Opens many accounts of these organizations with two statements. */
export async function openMany(
  { database, vault }: PaymentAccountDeps,
  organizationIds: readonly string[],
  paymentAccountIds: readonly string[],
): Promise<OpenAccount[]> {
  const accounts = await store.findAccounts(database, organizationIds, paymentAccountIds)
  const keyOf = await vault.unlockAll(accounts)
  return accounts.map((account) => unsealAccount(account, keyOf(account)))
}

export async function openStored(vault: Vault, account: PaymentAccount): Promise<OpenAccount> {
  return unsealAccount(account, await vault.unlock(account.organizationId, account.dataKeyId))
}

export function viewAccount(deps: PaymentAccountDeps, { account, profile }: OpenAccount): PaymentAccountView {
  const { formKey, formsUrl, environment, sandboxContracts, configuredMethods } = deps
  const token = createFormToken(formKey, 'bank-account', account.paymentAccountId, account.linkVersion)
  return presentAccount(account, profile, {
    currencyOf: (asset: Asset) => currencyOf(environment, asset, sandboxContracts()),
    formLink: `${formsUrl()}/bank-account/${token}`,
    isOffered: (method) => configuredMethods.includes(method),
  })
}

type AccountEvent = 'payment_account.created' | 'payment_account.updated' | 'payment_account.deleted'

/** Appends an event with the account's current view, sealed with the customer's key, in the tx of the change. */
export async function emitAccount(
  deps: PaymentAccountDeps,
  tx: Tx,
  type: AccountEvent,
  opened: OpenAccount,
): Promise<PaymentAccountView> {
  const shown = viewAccount(deps, opened)
  const { organizationId, paymentAccountId: resourceId, version: resourceVersion, dataKeyId } = opened.account
  const eventId = newId()
  const about = { organizationId, eventId, type, resourceId, resourceVersion }
  if (!opened.key) await appendEvent(tx, { ...about, data: shown })
  else {
    const sealedData = opened.key.seal({ table: 'events', row: eventId, column: 'data' }, JSON.stringify(shown))
    await appendEvent(tx, { ...about, sealedData, dataKeyId })
  }
  return shown
}

/** The methods by which money reaches one side of an account: one of them suffices. */
export type Methods = readonly string[]

/** Refuses an account that no offered method reaches. */
export function requireOffered({ configuredMethods }: PaymentAccountDeps, methods: readonly Methods[]): void {
  const missing = methods.find((each) => !each.some((method) => configuredMethods.includes(method)))
  if (missing) throw new Refusal('PAYMENT_METHOD_NOT_AVAILABLE', `This deployment does not offer ${missing.join(', ')}`)
}

/**
 * Refuses an account by no method of which the customer could be quoted. An account outside is accepted while money waits
 * for the customer that one of its methods can return, which would otherwise have no way back.
 */
export async function requireAvailable(
  awaitsMoneyBack: AwaitsMoneyBack | undefined,
  opened: OpenCustomer,
  methods: readonly Methods[],
): Promise<void> {
  const missing = methods.find((each) => !each.some((method) => mayUse(opened, method)))
  if (!missing || (await awaitsMoneyBack?.(opened.customer, missing))) return
  const countryCode = opened.profile?.residence
  const reason = countryCode === undefined ? 'without a country of residence' : `as a resident of ${countryCode}`
  throw new Refusal('PAYMENT_METHOD_NOT_AVAILABLE', `The customer may not use ${missing.join(', ')} ${reason}`)
}

/** Lists by which of these methods the customer may open an account outside: the rule of `requireAvailable`. */
export async function findOpenMethods(
  awaitsMoneyBack: AwaitsMoneyBack,
  opened: OpenCustomer,
  methods: Methods,
): Promise<string[]> {
  const missing = methods.filter((method) => !mayUse(opened, method))
  // Hardly a customer has such money: one question for all methods, and only then one for each.
  const isAwaited = missing.length > 0 && (await awaitsMoneyBack(opened.customer, missing))
  const found: string[] = []
  for (const method of methods) {
    const isMissing = missing.includes(method)
    if (!isMissing || (isAwaited && (await awaitsMoneyBack(opened.customer, [method])))) found.push(method)
  }
  return found
}

/**
 * Tells whether a new account of the customer may be of this method. Before the approval, the country of residence may
 * not be known yet. A customer who gets no quotes any more needs an account for a disbursement alone, by any method.
 */
export function mayUse({ customer, profile }: OpenCustomer, method: string): boolean {
  const { status, customerType } = customer
  const countryCode = profile?.residence
  if (!statusesWithAccounts.includes(status) || (countryCode === undefined && status !== 'ACTIVE')) return true
  return availableMethods({ customerType, countryCode, configured: [method] }).length > 0
}
