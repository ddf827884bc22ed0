import type { SlicePart } from '../../db/checks/slices.ts'
import { transactionKeys } from './key-store.ts'

export const heldTransactionsHaveApprovals: SlicePart = {
  keys: transactionKeys,
  sql: `select format('transaction %s of organization %s is %s, its approval is %s and its payout is %s',
                      transaction.transaction_id, transaction.organization_id, transaction.status,
                      coalesce(approval.status, 'missing'), coalesce(payout.status, 'missing')) as violation,
               transaction.organization_id, transaction.destination_asset as asset
          from slice
          join svc.transactions as transaction on transaction.organization_id = slice.organization_id
           and transaction.transaction_id = slice.transaction_id
          left join svc.approvals as approval on approval.organization_id = transaction.organization_id
           and approval.approval_id = transaction.approval_id
          left join svc.payouts as payout on payout.organization_id = transaction.organization_id
           and payout.transaction_id = transaction.transaction_id and payout.purpose = 'PAYOUT'
         where transaction.approval_id is not null
           and ((transaction.approval_expires_at is not null) <> coalesce(approval.status = 'OPEN', false)
                or payout.payout_id is not null and approval.status is distinct from 'APPROVED')`,
}
