import type { Job } from '../../db/work.ts'
import type { ApprovalService } from './service.ts'

const batch = 20

export function approvalsJob(approvals: ApprovalService, leaseMs: number): Job {
  return {
    name: 'approvals',
    due: approvals.due,
    runBatch: () => approvals.expireDue(batch, leaseMs),
    wakes: 'transactions',
  }
}
