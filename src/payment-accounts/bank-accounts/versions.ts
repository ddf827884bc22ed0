import type { CustomerKey } from '../../customers/sealed-customer.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../lib/refusal.ts'
import { emitAccount, openById, type PaymentAccountDeps } from '../access.ts'
import { hashBankAccount } from '../account-hash.ts'
import type { BankDetails } from '../payment-account.ts'
import { type OpenAccount, openBankDetails, sealBankDetails, sealProfile } from '../sealed-account.ts'
import { lockAccount } from '../store.ts'
import { type BankCorrection, correctDetails, correctProfile, isSameAccount } from './corrected-details.ts'
import { findFormerDetails, replaceDetails } from './version-store.ts'
import { issuedProblems } from './virtual-account.ts'

/** A correction that can be applied. `details` is undefined when the account already is as the bank asks. */
export type PreparedCorrection = { opened: OpenAccount; key: CustomerKey; details: BankDetails | undefined }

/** The coordinates that a bank corrects. */
export type CorrectedVersion = { organizationId: string; paymentAccountId: string; detailsVersion: number }

/** Gives a bank account other coordinates under the same id, and opens it as it was before. */
export function createBankVersionService(deps: PaymentAccountDeps) {
  return {
    /** Opens an account with the coordinates of a version: a payout keeps those with which it was created. */
    openVersion: async (
      organizationId: string,
      paymentAccountId: string,
      detailsVersion: number,
    ): Promise<OpenAccount | undefined> => {
      const opened = await openById(deps, [organizationId], paymentAccountId)
      if (!opened || opened.account.detailsVersion === detailsVersion) return opened
      const former = await findFormerDetails(deps.database, organizationId, paymentAccountId, detailsVersion)
      return former && { ...opened, account: { ...opened.account, ...former } }
    },

    /** Checks a correction of the coordinates of one version: it says nothing about those that came after them. */
    prepareCorrection: async (
      { organizationId, paymentAccountId, detailsVersion }: CorrectedVersion,
      correction: BankCorrection,
    ): Promise<PreparedCorrection> => {
      const opened = await openById(deps, [organizationId], paymentAccountId)
      const present = opened && openBankDetails(opened)
      if (!opened?.key || !present || opened.account.status !== 'ACTIVE') {
        throw new Refusal('CONFLICT', 'The payment account is not ACTIVE: refuse the change')
      }
      const corrected = correctDetails(present, correction)
      if ('problems' in corrected) {
        throw new Refusal('CONFLICT', `The bank’s correction is not valid: ${corrected.problems.join('; ')}`)
      }
      const { details } = corrected
      const [issued] = await issuedProblems(deps, details)
      if (issued) throw new Refusal('CONFLICT', `The bank’s correction is not valid: ${issued.field} ${issued.message}`)
      if (isSameAccount(present, details)) return { opened, key: opened.key, details: undefined }
      if (opened.account.detailsVersion !== detailsVersion) {
        throw new Refusal('CONFLICT', 'The notification is about former coordinates of the account: refuse it')
      }
      return { opened, key: opened.key, details }
    },

    /**
     * Makes the new version that an OPEN notification of change asks for, confirms the notification, and answers the
     * number of the version, with the event. The caller appends the audit row.
     */
    correct: async (tx: Tx, bankChangeId: string, { opened, key, details }: PreparedCorrection): Promise<number> => {
      const { account } = opened
      const { organizationId, paymentAccountId, detailsVersion } = account
      if (!details) return detailsVersion
      const locked = await lockAccount(tx, organizationId, paymentAccountId, 'delete')
      const profile = correctProfile(opened.profile ?? {}, details)
      const replaced =
        locked?.detailsVersion === detailsVersion &&
        (await replaceDetails(tx, {
          bankChangeId,
          organizationId,
          paymentAccountId,
          detailsVersion,
          accountHash: hashBankAccount(deps.hashKey, details),
          sealedProfile: sealProfile(key, account, profile),
          sealedDetails: sealBankDetails(key, account, details),
        }))
      if (!replaced) throw new Refusal('CONFLICT', 'The payment account or the notification changed meanwhile: retry')
      await emitAccount(deps, tx, 'payment_account.updated', { account: replaced, key, profile })
      return replaced.detailsVersion
    },
  }
}
