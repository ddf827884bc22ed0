import type { Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import type { Page, PageRequest } from '../lib/pages.ts'
import { Refusal } from '../lib/refusal.ts'
import { emit, openAccount, openById, openRow, type PaymentAccountDeps, view } from './access.ts'
import { createBalanceService } from './balances.ts'
import { createAccountCompletionService } from './completion.ts'
import { createAccountCreationService } from './creation.ts'
import { type PaymentAccount, paymentAccountMoves } from './payment-account.ts'
import type { PaymentAccountView } from './present.ts'
import { type OpenAccount, openBankDetails } from './sealed-account.ts'
import * as store from './store.ts'

export type PaymentAccountService = ReturnType<typeof createPaymentAccountService>

export function createPaymentAccountService(deps: PaymentAccountDeps) {
  return {
    ...createReadOperations(deps),
    ...createAccountCreationService(deps),
    ...createAccountCompletionService(deps),
    ...createDeleteOperation(deps),
    ...createBalanceService(deps),
  }
}

function createReadOperations(deps: PaymentAccountDeps) {
  const { database, pages, vault } = deps
  return {
    /** Newest first. Deleted accounts can be read by their id only. */
    list: async (caller: Caller, customerId: string, request: PageRequest): Promise<Page<PaymentAccountView>> => {
      const wanted = customerId.toLowerCase()
      const page = await pages.read(
        { list: 'payment accounts', filters: { for: caller.organizationId, customerId: wanted } },
        request,
        (slice) => store.listAccounts(database, caller.organizationIds, wanted, slice),
        (account) => account.paymentAccountId,
      )
      const opened = await Promise.all(page.items.map((account) => openRow(vault, account)))
      return { ...page, items: opened.map((each) => view(deps, each)) }
    },

    read: async (caller: Caller, paymentAccountId: string): Promise<PaymentAccountView> =>
      view(deps, await openAccount(deps, caller, paymentAccountId)),

    /** The account with its customer's key, for whoever moves money from or to it. */
    open: (organizationIds: readonly string[], paymentAccountId: string): Promise<OpenAccount | undefined> =>
      openById(deps, organizationIds, paymentAccountId),
    readBankDetails: openBankDetails,

    /** Holds an account so that nobody can delete it before the transaction ends; undefined when it is not ACTIVE. */
    holdActive: async (
      tx: Tx,
      organizationId: string,
      paymentAccountId: string,
    ): Promise<PaymentAccount | undefined> => {
      const account = await store.lockAccount(tx, organizationId, paymentAccountId, 'use')
      return account?.status === 'ACTIVE' ? account : undefined
    },
  }
}

function createDeleteOperation(deps: PaymentAccountDeps) {
  return {
    /** Asking again is harmless: what is deleted stays so, and no second event is told. */
    delete: async (caller: Caller, paymentAccountId: string): Promise<PaymentAccountView> => {
      const account = await openAccount(deps, caller, paymentAccountId)
      const { organizationId } = account.row
      return deps.database.inTx(async (tx) => {
        // Whoever begins to use the account holds its row, so from here on nobody does.
        const row = await store.lockAccount(tx, organizationId, paymentAccountId, 'delete')
        if (row?.status === 'DEACTIVATED') return view(deps, { ...account, row })
        const reason = await whyInUse(deps, tx, account.row)
        if (reason) throw new Refusal('PAYMENT_ACCOUNT_IN_USE', reason)
        const { from } = paymentAccountMoves.delete
        const deleted = await store.deactivateAccount(tx, organizationId, paymentAccountId, from)
        if (!deleted) throw new Error('a locked payment account could not be deleted')
        const act = { actor: `api_key:${caller.apiKeyId}`, action: 'payment_account.deleted' }
        await deps.audit.append(tx, { organizationId, ...act, subjectId: paymentAccountId })
        return emit(deps, tx, 'payment_account.deleted', { ...account, row: deleted })
      })
    },
  }
}

async function whyInUse(
  { uses, ledger }: PaymentAccountDeps,
  tx: Tx,
  { organizationId, paymentAccountId }: PaymentAccount,
): Promise<string | undefined> {
  const balances = await ledger.balances(tx, organizationId, paymentAccountId)
  if (balances.some(({ posted }) => posted !== 0n)) return 'The account has a balance'
  if (await store.isDestination(tx, organizationId, paymentAccountId)) return 'An auto fiat account pays into it'
  for (const whyUsed of uses) {
    const reason = await whyUsed(tx, { organizationId, paymentAccountId })
    if (reason) return reason
  }
  return undefined
}

/** A customer is not forgotten while money could still come in or go out: deleting an account asks about that. */
export async function whyNotErase(tx: Tx, organizationId: string, customerId: string): Promise<string | undefined> {
  const isServed = await store.hasAccounts(tx, organizationId, customerId)
  return isServed ? 'This customer has payment accounts: delete them first' : undefined
}
