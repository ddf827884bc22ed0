import { type Behaviour, findTransfer, recordTransfer } from '../db/counterparty-memory.ts'
import type { Queryable } from '../db/database.ts'
import type { PayoutDestination, PayoutRail } from '../transactions/payouts/rail.ts'

export type CounterpartyDeps = {
  /** A separate connection: the counterparty keeps a transfer even when our database transaction rolls back. */
  memory: Queryable
  /** The time to settle a transfer, in business time. */
  delaySeconds: number
  /** Reads the source amount of a payout's transaction, as the caller wrote it. */
  sourceAmountOf(reference: string): Promise<string | undefined>
}

const hour = 3_600

/** Magic endings: the last two decimals of the source amount, or the last four digits of the bank account. */
export const magicEndings: readonly { digits: string; behaviour: Behaviour; does: string }[] = [
  {
    digits: '66',
    behaviour: 'REFUSE',
    does: 'The rail refuses the payout: FAILED, destination_refused_funds, and a refund',
  },
  { digits: '77', behaviour: 'RETURN', does: 'COMPLETED; a day later the bank returns the funds: FAILED' },
  {
    digits: '88',
    behaviour: 'LOSE_REPLY',
    does: 'The answer to the payout is lost; Svc polls the rail, and the payout is COMPLETED',
  },
  { digits: '55', behaviour: 'LOSE_REQUEST', does: 'The payout never reaches the bank or chain; Svc retries it' },
  { digits: '99', behaviour: 'SLOW', does: 'The payout takes an hour' },
]

/** Simulates all banks and chains of the sandbox. Idempotent by reference, as a real rail must be. */
export function createSandboxCounterparty({ memory, delaySeconds, sourceAmountOf }: CounterpartyDeps): PayoutRail {
  return {
    send: async ({ reference, amount, destination }) => {
      const behaviour = behaviourOf(destination, await sourceAmountOf(reference))
      const settlesInSeconds = behaviour === 'SLOW' ? hour : delaySeconds
      const known = await recordTransfer(memory, { reference, behaviour, amount, settlesInSeconds })
      if (known.requests === 1 && (known.behaviour === 'LOSE_REQUEST' || known.behaviour === 'LOSE_REPLY')) {
        return { outcome: 'UNKNOWN', why: 'the connection was lost' }
      }
      if (known.behaviour === 'REFUSE') return { outcome: 'REFUSED', reason: 'account_closed' }
      return { outcome: 'ACCEPTED' }
    },

    poll: async ({ reference }) => {
      const known = await findTransfer(memory, reference)
      if (!known) return { state: 'NOT_KNOWN' }
      const externalReference = `sandbox-${reference}`
      if (known.behaviour === 'REFUSE') return { state: 'REFUSED', reason: 'account_closed' }
      if (!known.isSettled) return { state: 'PENDING' }
      if (!known.isReturned) return { state: 'CONFIRMED', externalReference }
      return { state: 'RETURNED', externalReference, reason: 'account_closed', amount: BigInt(known.amount) }
    },
  }
}

function behaviourOf(destination: PayoutDestination, sourceAmount: string | undefined): Behaviour {
  const coordinates = destination.type === 'BANK' ? destination.details.coordinates : {}
  const account = (coordinates.iban ?? coordinates.accountNumber ?? '').replaceAll(' ', '')
  const fraction = /\.(\d\d)0*$/.exec(sourceAmount ?? '')?.[1]
  const found = magicEndings.find(({ digits }) => fraction === digits || account.endsWith(`00${digits}`))
  return found?.behaviour ?? 'SETTLE'
}
