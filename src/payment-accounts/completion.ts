import type { CustomerKey } from '../customers/sealed-customer.ts'
import type { Tx } from '../db/database.ts'
import { readFormToken } from '../lib/form-link.ts'
import { notFound, Refusal } from '../lib/refusal.ts'
import { canMove } from '../lib/transitions.ts'
import type { Validated } from '../lib/validated.ts'
import {
  emitAccount,
  openById,
  openStored,
  type PaymentAccountDeps,
  requireAvailable,
  requireOffered,
} from './access.ts'
import { hashBankAccount, hashSave } from './account-hash.ts'
import { bankProfile, readBankAccount } from './bank-accounts/bank-account.ts'
import { findAccountOfLink, isSavedBy, replaceLink } from './bank-accounts/link-store.ts'
import { issuedProblems } from './bank-accounts/virtual-account.ts'
import { badRequest, requireEligible } from './creation.ts'
import { type BankDetails, paymentAccountMoves, statusesWithAccounts } from './payment-account.ts'
import type { PaymentAccountView } from './present.ts'
import { prefixFields } from './request.ts'
import { type OpenAccount, sealBankDetails, sealProfile } from './sealed-account.ts'
import * as store from './store.ts'

type Completion = { externalBankAccount: object }

export type PreparedCompletion = {
  opened: OpenAccount
  key: CustomerKey
  details: BankDetails
  customerEmail: string | undefined
}

/** Completes PENDING bank accounts with their details, under the same id. */
export function createAccountCompletionService(deps: PaymentAccountDeps) {
  return {
    /** Opens the account whose link this is; undefined when the link is invalid, revoked or of another purpose. */
    openByLink: async (token: string): Promise<OpenAccount | undefined> => {
      const read = readFormToken(deps.formKey, 'bank-account', token)
      const account = read && (await findAccountOfLink(deps.database, read.subjectId))
      if (!account || account.linkVersion !== read.version) return undefined
      return openStored(deps.vault, account)
    },

    /** Revokes the link of a bank account, with every session that it opened. A PENDING account shows its new link. */
    revokeLink: async (tx: Tx, opened: OpenAccount, actor: string): Promise<PaymentAccountView> => {
      const account = await replaceLink(tx, opened.account)
      if (!account) throw new Refusal('CONFLICT', 'Only an external bank account that is not deleted has a form link')
      const { organizationId, paymentAccountId: subjectId } = account
      await deps.audit.append(tx, { organizationId, actor, action: 'payment_account.link_revoked', subjectId })
      return emitAccount(deps, tx, 'payment_account.updated', { ...opened, account })
    },

    /**
     * Tells whether this very save completed the account: its page did not hear the answer. Only the key of the save
     * counts. An answer that depends on the details would tell the holder of the link whether a guess of them is right.
     */
    isSavedBy: ({ account }: OpenAccount, saveKey: string): Promise<boolean> =>
      isSavedBy(deps.database, account, hashSave(deps.hashKey, account, saveKey)),

    /** Reports a missing account and wrong statuses before problems of the body. */
    prepareComplete: async (
      organizationIds: readonly string[],
      pendingPaymentAccountId: string,
      inspectBody: () => Validated<Completion>,
    ): Promise<PreparedCompletion> => {
      const opened = await openById(deps, organizationIds, pendingPaymentAccountId)
      const customer = opened && (await deps.customers.open([opened.account.organizationId], opened.account.customerId))
      if (!opened || !customer) throw notFound()
      const key = requireEligible(customer)
      const { status, isThirdParty } = opened.account
      if (!canMove(paymentAccountMoves, 'complete', status)) throw notPending()
      const inspected = inspectBody()
      const holder = { name: customer.profile?.name ?? '', isThirdParty }
      const { details, problems } = readBankAccount(bankAccountIn(inspected.value), holder)
      const found = details ? await issuedProblems(deps, details) : problems
      if (!inspected.ok || !details || found.length > 0)
        throw badRequest(inspected, prefixFields('externalBankAccount', found))
      requireOffered(deps, [[details.paymentMethod]])
      await requireAvailable(deps.awaitsMoneyBack, customer, [[details.paymentMethod]])
      return { opened, key, details, customerEmail: customer.profile?.email }
    },

    /** `saveKey`: the key that the page of a hosted form made for this save. */
    complete: async (tx: Tx, prepared: PreparedCompletion, saveKey?: string): Promise<PaymentAccountView> => {
      const { opened, key, details, customerEmail } = prepared
      const profile = { ...opened.profile, ...bankProfile(details, customerEmail) }
      const account = await store.completeAccount(tx, {
        ...opened.account,
        from: paymentAccountMoves.complete.from,
        currency: details.currency,
        paymentMethod: details.paymentMethod,
        accountHash: hashBankAccount(deps.hashKey, details),
        sealedProfile: sealProfile(key, opened.account, profile),
        sealedDetails: sealBankDetails(key, opened.account, details),
        saveHash: saveKey === undefined ? null : hashSave(deps.hashKey, opened.account, saveKey),
        customerStatuses: statusesWithAccounts,
      })
      if (!account) throw notPending()
      return emitAccount(deps, tx, 'payment_account.updated', { account, key, profile })
    },
  }
}

/** Finds the bank account in a body, valid or not. */
function bankAccountIn(body: unknown): unknown {
  return (body as { externalBankAccount?: unknown } | undefined)?.externalBankAccount
}

function notPending(): Refusal {
  return new Refusal('CONFLICT', 'Only a bank account that is PENDING can be completed')
}
