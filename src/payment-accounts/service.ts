import type { Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import type { Page, PageRequest } from '../lib/pages.ts'
import { Refusal } from '../lib/refusal.ts'
import { emit, openAccount, openById, openRow, type PaymentAccountOptions, view } from './access.ts'
import { makeBalances } from './balances.ts'
import { makeCompleting } from './completion.ts'
import { makeCreating } from './creation.ts'
import { type PaymentAccountRow, paymentAccountMoves } from './payment-account.ts'
import type { PaymentAccountView } from './present.ts'
import { type OpenAccount, openBankDetails } from './sealed-account.ts'
import * as store from './store.ts'

export type PaymentAccountService = ReturnType<typeof makePaymentAccountService>

export function makePaymentAccountService(options: PaymentAccountOptions) {
  return {
    ...makeReading(options),
    ...makeCreating(options),
    ...makeCompleting(options),
    ...makeDeleting(options),
    ...makeBalances(options),
  }
}

function makeReading(options: PaymentAccountOptions) {
  const { database, pages, vault } = options
  return {
    /** Newest first. Deleted accounts can be read by their id only. */
    list: async (caller: Caller, customerId: string, request: PageRequest): Promise<Page<PaymentAccountView>> => {
      const wanted = customerId.toLowerCase()
      const page = await pages.read(
        { list: 'payment accounts', filters: { for: caller.organizationId, customerId: wanted } },
        request,
        (slice) => store.listAccounts(database, caller.organizationIds, wanted, slice),
        (row) => row.paymentAccountId,
      )
      const opened = await Promise.all(page.items.map((row) => openRow(vault, row)))
      return { ...page, items: opened.map((each) => view(options, each)) }
    },

    read: async (caller: Caller, paymentAccountId: string): Promise<PaymentAccountView> =>
      view(options, await openAccount(options, caller, paymentAccountId)),

    /** The account with its customer's key, for whoever moves money from or to it. */
    open: (organizationIds: readonly string[], paymentAccountId: string): Promise<OpenAccount | undefined> =>
      openById(options, organizationIds, paymentAccountId),
    readBankDetails: openBankDetails,

    /** Holds an account so that nobody can delete it before the transaction ends; undefined when it is not ACTIVE. */
    holdActive: async (
      transaction: Queryable,
      organizationId: string,
      paymentAccountId: string,
    ): Promise<PaymentAccountRow | undefined> => {
      const row = await store.lockAccount(transaction, organizationId, paymentAccountId, 'use')
      return row?.status === 'ACTIVE' ? row : undefined
    },
  }
}

function makeDeleting(options: PaymentAccountOptions) {
  return {
    /** Asking again is harmless: what is deleted stays so, and no second event is told. */
    delete: async (caller: Caller, paymentAccountId: string): Promise<PaymentAccountView> => {
      const account = await openAccount(options, caller, paymentAccountId)
      const { organizationId } = account.row
      return options.database.transaction(async (transaction) => {
        // Whoever begins to use the account holds its row, so from here on nobody does.
        const row = await store.lockAccount(transaction, organizationId, paymentAccountId, 'delete')
        if (row?.status === 'DEACTIVATED') return view(options, { ...account, row })
        const reason = await whyInUse(options, transaction, account.row)
        if (reason) throw new Refusal('PAYMENT_ACCOUNT_IN_USE', reason)
        const { from } = paymentAccountMoves.delete
        const deleted = await store.deactivateAccount(transaction, organizationId, paymentAccountId, from)
        if (!deleted) throw new Error('a locked payment account could not be deleted')
        const act = { actor: `api_key:${caller.apiKeyId}`, action: 'payment_account.deleted' }
        await options.audit.append(transaction, { organizationId, ...act, subjectId: paymentAccountId })
        return emit(options, transaction, 'payment_account.deleted', { ...account, row: deleted })
      })
    },
  }
}

async function whyInUse(
  { uses, ledger }: PaymentAccountOptions,
  transaction: Queryable,
  { organizationId, paymentAccountId }: PaymentAccountRow,
): Promise<string | undefined> {
  const balances = await ledger.balances(transaction, organizationId, paymentAccountId)
  if (balances.some(({ posted }) => posted !== 0n)) return 'The account has a balance'
  if (await store.isDestination(transaction, organizationId, paymentAccountId))
    return 'An auto fiat account pays into it'
  for (const whyUsed of uses) {
    const reason = await whyUsed(transaction, { organizationId, paymentAccountId })
    if (reason) return reason
  }
  return undefined
}

/** A customer is not forgotten while money could still come in or go out: deleting an account asks about that. */
export async function whyNotErase(
  transaction: Queryable,
  organizationId: string,
  customerId: string,
): Promise<string | undefined> {
  const isServed = await store.hasAccounts(transaction, organizationId, customerId)
  return isServed ? 'This customer has payment accounts: delete them first' : undefined
}
