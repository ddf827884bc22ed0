import type { FiatLabel } from '../../../catalog/currencies.ts'
import type { RailAnswer } from '../../payouts/rail.ts'
import type { OutgoingBankFile } from '../bank-file.ts'
import type { BookedPayment, BookedReturn, FileItem } from './item-store.ts'

/** All that is recorded about a payout at the bank. */
export type Known = {
  /** The file of each attempt, in their order. */
  files: readonly OutgoingBankFile[]
  items: readonly FileItem[]
  payment: BookedPayment | undefined
  returns: readonly BookedReturn[]
}

type AttemptState =
  | { state: 'ALIVE'; hasLeft: boolean }
  | { state: 'DEAD'; proof: string }
  | { state: 'REFUSED'; reason: string }

/**
 * Tells what the bank's messages prove about a payout. Only a booked entry confirms. A rejection counts for the attempt
 * whose file it names, and nothing is dead or refused while another attempt may be paid.
 */
export function answerFrom({ files, items, payment, returns }: Known): RailAnswer {
  if (payment) return confirmed(payment, returns)
  const states = files.map((file) =>
    stateOf(
      file,
      items.find(({ messageId }) => messageId === file.messageId),
    ),
  )
  const alive = states.filter((each) => each.state === 'ALIVE')
  if (alive.length > 0 || states.length === 0) {
    return { state: alive.some(({ hasLeft }) => hasLeft) ? 'PENDING' : 'NOT_KNOWN' }
  }
  const refused = states.find((each) => each.state === 'REFUSED')
  if (refused) return { state: 'REFUSED', reason: refused.reason }
  const proofs = states.flatMap((each) => (each.state === 'DEAD' ? [each.proof] : []))
  return { state: 'DEAD', proof: proofs.join('; ') }
}

function stateOf(file: OutgoingBankFile, item: FileItem | undefined): AttemptState {
  const { status, messageId, bankStatus, bankReason } = file
  if (status === 'LAPSED') return { state: 'DEAD', proof: `${messageId} never left` }
  // The bank has a copy already, or accepts what it rejected: its payments may be paid.
  if (bankStatus === 'DUPLICATE' || bankStatus === 'DISPUTED') return { state: 'ALIVE', hasLeft: true }
  // The rest of a message may say that the bank has the file already.
  const isTold = file.isAnswerWhole && item?.isAnswerWhole !== false
  const mayBePaid = item?.bankStatus === 'SETTLED' || item?.bankStatus === 'DISPUTED'
  if (!isTold || mayBePaid) return { state: 'ALIVE', hasLeft: true }
  const isRefused = item?.bankStatus === 'REJECTED'
  const hasOwnReason = isRefused && item.bankReason !== null && item.bankReason !== bankReason
  if (isRefused && (bankStatus !== 'REJECTED' || hasOwnReason)) {
    return { state: 'REFUSED', reason: item.bankReason ?? 'rejected' }
  }
  if (bankStatus === 'REJECTED') return { state: 'DEAD', proof: `the bank rejected ${messageId}: ${bankReason}` }
  return { state: 'ALIVE', hasLeft: status === 'RELEASED' }
}

function confirmed(payment: BookedPayment, returns: readonly BookedReturn[]): RailAnswer {
  const costs = BigInt(payment.costs)
  return {
    state: 'CONFIRMED',
    externalReference: payment.externalReference,
    amount: BigInt(payment.amount),
    ...(payment.valueDate === null ? {} : { valueDate: payment.valueDate }),
    costs: costs > 0n ? [{ asset: payment.currency as FiatLabel, amount: costs }] : [],
    returns: returns.map(({ amount, valueDate, ...told }) => ({
      ...told,
      amount: BigInt(amount),
      ...(valueDate === null ? {} : { valueDate }),
    })),
  }
}
