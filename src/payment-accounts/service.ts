import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { Queryable, Tx } from '../db/database.ts'
import { runList } from '../db/lists/searches.ts'
import type { Caller } from '../lib/caller.ts'
import type { Page, PageRequest } from '../lib/pages.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import { requireTimeRanges } from '../lib/resources/filters.ts'
import {
  emitAccount,
  findOpenMethods,
  openAccount,
  openById,
  openMany,
  openStored,
  type PaymentAccountDeps,
  viewAccount,
} from './access.ts'
import { createAccountChecks, isHashRight } from './account-checks.ts'
import { hashNamed, hashSenders, type NamedAccount } from './account-hash.ts'
import { createBalanceService } from './balances.ts'
import { createBankVersionService } from './bank-accounts/versions.ts'
import { wasNumberIssued } from './bank-accounts/virtual-account.ts'
import { readTakenNumbers } from './bank-accounts/virtual-account-store.ts'
import { createAccountCompletionService } from './completion.ts'
import { createAccountCreationService } from './creation.ts'
import { type AccountFilter, listAccounts } from './lists/list-store.ts'
import { reachOf } from './lists/reach.ts'
import { type BankCoordinates, type PaymentAccount, paymentAccountMoves } from './payment-account.ts'
import type { PaymentAccountView } from './present.ts'
import { type OpenAccount, openBankDetails } from './sealed-account.ts'
import * as store from './store.ts'

export type PaymentAccountService = ReturnType<typeof createPaymentAccountService>

export function createPaymentAccountService(deps: PaymentAccountDeps) {
  return {
    ...createReadOperations(deps),
    ...createAccountCreationService(deps),
    ...createAccountCompletionService(deps),
    ...createBankVersionService(deps),
    ...createDeleteOperation(deps),
    ...createBalanceService(deps),
  }
}

function createReadOperations(deps: PaymentAccountDeps) {
  const { database } = deps
  return {
    /** Lists accounts, newest first, without deleted ones unless their status is asked for. */
    list: (caller: Caller, filter: AccountFilter, request: PageRequest): Promise<Page<PaymentAccountView>> =>
      listFor(deps, caller, filter, request),

    read: async (caller: Caller, paymentAccountId: string): Promise<PaymentAccountView> =>
      viewAccount(deps, await openAccount(deps, caller, paymentAccountId)),

    /** Lists the methods by which the customer may open an account outside. */
    findOpenMethods: (customer: OpenCustomer): Promise<string[]> =>
      findOpenMethods(deps.awaitsMoneyBack, customer, deps.configuredMethods),

    /** Reads several accounts as answers show them, in no order. */
    readMany: async (organizationIds: readonly string[], paymentAccountIds: readonly string[]) => {
      const opened = await openMany(deps, organizationIds, paymentAccountIds)
      return opened.map((each) => ({
        paymentAccountId: each.account.paymentAccountId,
        view: viewAccount(deps, each),
      }))
    },

    /** Counts the numbers that were taken of each range of virtual accounts. */
    readTakenNumbers: () => readTakenNumbers(database),

    /** True when a virtual account ever had this number, also a deleted one. */
    wasIssued: (on: Queryable, currency: string, coordinates: BankCoordinates): Promise<boolean> =>
      wasNumberIssued(deps.hashKey, on, currency, coordinates),

    /** Opens an account of a caller. */
    openFor: (caller: Caller, paymentAccountId: string): Promise<OpenAccount> =>
      openAccount(deps, caller, paymentAccountId),

    /** Opens an account with its customer's key, to move money from or to it. */
    open: (organizationIds: readonly string[], paymentAccountId: string): Promise<OpenAccount | undefined> =>
      openById(deps, organizationIds, paymentAccountId),
    openMany: (organizationIds: readonly string[], paymentAccountIds: readonly string[]): Promise<OpenAccount[]> =>
      openMany(deps, organizationIds, paymentAccountIds),
    readBankDetails: openBankDetails,
    /** Tells whether the stored hash is that of the account's coordinates. */
    isHashRight: (opened: OpenAccount): boolean => isHashRight(deps.hashKey, opened),
    /** Finds the auto fiat account of a customer that a bank names; undefined when there is none, or several fit. */
    findVirtualAccount: async (reader: Queryable, named: NamedAccount): Promise<string | undefined> => {
      const receivingHash = hashNamed(deps.hashKey, named)
      return receivingHash === null ? undefined : store.findByReceivingHash(reader, receivingHash)
    },
    /** Computes the hashes of a registered account that a bank names as the sender. */
    hashSenders: (named: NamedAccount): Buffer[] => hashSenders(deps.hashKey, named),
    /** The checks of `svc verify` that need the customers' keys. */
    checks: createAccountChecks(deps),
  }
}

async function listFor(
  deps: PaymentAccountDeps,
  caller: Caller,
  wanted: AccountFilter,
  request: PageRequest,
): Promise<Page<PaymentAccountView>> {
  requireTimeRanges(wanted)
  const { customerId } = wanted
  if (customerId === undefined && wanted.externalId === undefined)
    throw badField('customerId', 'is required without externalId')
  const filter = { ...wanted, ...(customerId === undefined ? {} : { customerId: customerId.toLowerCase() }) }
  const { rail, ...others } = filter
  const isOffered = (method: string) => deps.configuredMethods.includes(method)
  const stored = { ...others, ...(rail === undefined ? {} : { reach: reachOf(rail, isOffered) }) }
  const page = await deps.pages.read(
    { list: 'payment accounts', filters: { for: caller.organizationId, ...filter } },
    request,
    (slice) =>
      runList(deps.database, caller.organizationId, filter, (each) =>
        listAccounts(each, caller.organizationIds, stored, slice),
      ),
    (account) => account.paymentAccountId,
  )
  const opened = await Promise.all(page.items.map((account) => openStored(deps.vault, account)))
  return { ...page, items: opened.map((each) => viewAccount(deps, each)) }
}

function createDeleteOperation(deps: PaymentAccountDeps) {
  return {
    /** Deletes an account. Repeating the call changes nothing and emits no second event. */
    delete: async (caller: Caller, paymentAccountId: string): Promise<PaymentAccountView> => {
      const opened = await openAccount(deps, caller, paymentAccountId)
      const { organizationId } = opened.account
      return deps.database.inTx(async (tx) => {
        // Every new use of the account locks it too, so none begins before this tx ends.
        const account = await store.lockAccount(tx, organizationId, paymentAccountId, 'delete')
        if (account?.status === 'DEACTIVATED') return viewAccount(deps, { ...opened, account })
        const reason = await whyInUse(deps, tx, opened.account)
        if (reason) throw new Refusal('PAYMENT_ACCOUNT_IN_USE', reason)
        const { from } = paymentAccountMoves.delete
        const deleted = await store.deactivateAccount(tx, organizationId, paymentAccountId, from)
        if (!deleted) throw new Error(`payment account ${paymentAccountId} could not be deleted under its lock`)
        const act = { actor: `api_key:${caller.apiKeyId}`, action: 'payment_account.deleted' }
        await deps.audit.append(tx, { organizationId, ...act, subjectId: paymentAccountId })
        return emitAccount(deps, tx, 'payment_account.deleted', { ...opened, account: deleted })
      })
    },
  }
}

async function whyInUse(
  { uses, ledger }: PaymentAccountDeps,
  tx: Tx,
  account: PaymentAccount,
): Promise<string | undefined> {
  const { organizationId, paymentAccountId } = account
  const balances = await ledger.balances(tx, organizationId, paymentAccountId)
  if (balances.some(({ posted }) => posted !== 0n)) return 'The account has a balance: move it out first'
  if (await store.isAutoFiatDestination(tx, organizationId, paymentAccountId)) {
    return 'An auto fiat account pays into this account: delete that one first'
  }
  for (const whyUsed of uses) {
    const reason = await whyUsed(tx, account)
    if (reason) return reason
  }
  return undefined
}

/** Tells why a customer cannot be erased: money could still move through its accounts. */
export async function findErasureObstacle(
  tx: Tx,
  organizationId: string,
  customerId: string,
): Promise<string | undefined> {
  const hasAccounts = await store.hasAccounts(tx, organizationId, customerId)
  return hasAccounts ? 'This customer has payment accounts: delete them first' : undefined
}
