import type { Violation } from '../../db/checks/violation.ts'
import type { Check } from '../../db/verify.ts'
import { findSealProblem, type OrderDeps } from './order.ts'
import { readOpenSealedPayouts, sealStatementChecks } from './seal-store.ts'

const payoutsPerSlice = 500
const mostViolations = 20

/** The name of the invariant that a worker, too, finds violated when it is about to send a payout. */
export const sealInvariant = 'every open payout is as the signer sealed it'

/** Checks the seals of all open payouts and of their accounts, in slices. */
export function createSealChecks(deps: OrderDeps): readonly Check[] {
  return [
    ...sealStatementChecks,
    {
      name: sealInvariant,
      isMoney: true,
      find: async (database) => {
        const violations: Violation[] = []
        for (let after: string | undefined, isLast = false; !isLast && violations.length < mostViolations; ) {
          const slice = await readOpenSealedPayouts(database, { after, limit: payoutsPerSlice })
          for (const payout of slice) {
            const { organizationId, payoutId, asset } = payout
            const problem = await findSealProblem(deps, payout)
            if (problem === undefined) continue
            const violation = `payout ${payoutId} of organization ${organizationId} was altered: ${problem}`
            violations.push({ violation, organizationId, asset })
          }
          isLast = slice.length < payoutsPerSlice
          after = slice.at(-1)?.payoutId
        }
        return violations
      },
    },
  ]
}
