import type { Queryable, Tx } from '../../db/database.ts'
import type { PaymentAccount } from '../payment-account.ts'
import { columns, refusingDuplicates } from '../store.ts'

/** The coordinates that an account had before a correction. */
export type FormerDetails = Pick<PaymentAccount, 'accountHash' | 'seal' | 'detailsVersion'> & { sealedDetails: Buffer }

export async function findFormerDetails(
  database: Queryable,
  organizationId: string,
  paymentAccountId: string,
  detailsVersion: number,
): Promise<FormerDetails | undefined> {
  const [found] = await database.query<FormerDetails>({
    name: 'find former bank details',
    text: `select details_version as "detailsVersion", account_hash as "accountHash", sealed_details as "sealedDetails",
                  seal
             from svc.former_bank_details
            where organization_id = $1 and payment_account_id = $2 and details_version = $3`,
    values: [organizationId, paymentAccountId, detailsVersion],
  })
  return found
}

export type NewDetails = Pick<
  PaymentAccount,
  'organizationId' | 'paymentAccountId' | 'detailsVersion' | 'sealedProfile'
> & { bankChangeId: string; accountHash: Buffer; sealedDetails: Buffer }

/**
 * Replaces the coordinates of a version and confirms the notification that asks for it; undefined when the version is no
 * longer the present one or has no seal yet, and when the notification is not OPEN or not about it.
 */
export async function replaceDetails(tx: Tx, details: NewDetails): Promise<PaymentAccount | undefined> {
  const [replaced] = await refusingDuplicates(
    tx.query<PaymentAccount>({
      name: 'replace bank details',
      text: `select ${columns} from svc.replace_bank_details($1, $2, $3, $4, $5, $6, $7) as account`,
      values: [
        details.bankChangeId,
        details.organizationId,
        details.paymentAccountId,
        details.detailsVersion,
        details.accountHash,
        details.sealedProfile,
        details.sealedDetails,
      ],
    }),
  )
  return replaced
}
