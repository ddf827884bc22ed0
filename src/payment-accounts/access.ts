import { type Asset, currencyOf, type Environment, type SandboxContracts } from '../catalog/currencies.ts'
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
import { notFound } from '../lib/refusal.ts'
import type { PaymentAccount } from './payment-account.ts'
import type { AccountUse, UsdValue, VirtualAccounts, WalletAddresses } from './ports.ts'
import { type PaymentAccountView, presentAccount } from './present.ts'
import { type OpenAccount, openAccountRow } from './sealed-account.ts'
import * as store from './store.ts'

export type PaymentAccountDeps = {
  database: Database
  pages: Pages
  vault: Vault
  audit: Audit
  customers: Pick<CustomerService, 'openFor' | 'open'>
  environment: Environment
  /** The rails and networks that this deployment offers: no account is opened that none of them reaches. */
  configuredMethods: readonly string[]
  /** Where the sandbox's own chains keep the tokens. */
  sandboxContracts(): SandboxContracts
  formKey: Buffer
  formsUrl(): string
  /** Of the hashes that tell whether an account is there already. */
  hashKey: Buffer
  addresses: WalletAddresses<Tx>
  /** Absent where no bank opens accounts for us. */
  virtualAccounts: VirtualAccounts | undefined
  /** Who else may be using an account: later capabilities add their reasons. */
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
  return account && openRow(vault, account)
}

export async function openRow(vault: Vault, account: PaymentAccount): Promise<OpenAccount> {
  return openAccountRow(account, await vault.unlock(account.organizationId, account.dataKeyId))
}

export function view(deps: PaymentAccountDeps, { row, profile }: OpenAccount): PaymentAccountView {
  const { formKey, formsUrl, environment, sandboxContracts, configuredMethods } = deps
  const token = createFormToken(formKey, 'bank-account', row.paymentAccountId, row.linkVersion)
  return presentAccount(row, profile, {
    currencyOf: (asset: Asset) => currencyOf(environment, asset, sandboxContracts()),
    formLink: `${formsUrl()}/bank-account/${token}`,
    isOffered: (method) => configuredMethods.includes(method),
  })
}

type AccountEvent = 'payment_account.created' | 'payment_account.updated' | 'payment_account.deleted'

/** The event is the account as it is now, sealed with the customer's key, in the transaction of the change. */
export async function emit(
  deps: PaymentAccountDeps,
  tx: Tx,
  type: AccountEvent,
  account: OpenAccount,
): Promise<PaymentAccountView> {
  const shown = view(deps, account)
  const { organizationId, paymentAccountId: resourceId, version: resourceVersion, dataKeyId } = account.row
  const eventId = newId()
  const about = { organizationId, eventId, type, resourceId, resourceVersion }
  if (!account.key) await appendEvent(tx, { ...about, data: shown })
  else {
    const sealedData = account.key.seal({ table: 'events', row: eventId, column: 'data' }, JSON.stringify(shown))
    await appendEvent(tx, { ...about, sealedData, dataKeyId })
  }
  return shown
}
