import type { AccountName } from '../formats.ts'

/** The ways in which the sandbox's bank treats a payment. */
export type Behaviour = 'SETTLE' | 'REFUSE' | 'RETURN' | 'LOSE_REPLY' | 'LOSE_REQUEST' | 'SLOW'

/** Magic endings: the last four digits of the receiver's account, or the last two decimals of the amount in the file. */
export const bankEndings: readonly { digits: string; behaviour: Behaviour; does: string }[] = [
  {
    digits: '66',
    behaviour: 'REFUSE',
    does: 'The bank rejects the payment (pain.002): FAILED, destination_refused_funds, and a refund',
  },
  {
    digits: '77',
    behaviour: 'RETURN',
    does: 'COMPLETED; a day later the bank returns the funds (a NACHA return, or pacs.004): FAILED',
  },
  {
    digits: '88',
    behaviour: 'LOSE_REPLY',
    does: 'The status and the notification of the bank are lost; its statement after the day (camt.053) shows the payment: COMPLETED',
  },
  {
    digits: '55',
    behaviour: 'LOSE_REQUEST',
    does: 'The file arrives damaged, and the bank rejects all of it (pain.002); Svc pays in a new file, which the bank accepts',
  },
  {
    digits: '99',
    behaviour: 'SLOW',
    does: 'The payment is pending (pain.002) for an hour before the bank books it',
  },
]

export function behaviourOf({ iban, number = '' }: AccountName, amount: bigint): Behaviour {
  const account = iban ?? number
  const cents = String(amount % 100n).padStart(2, '0')
  const found = bankEndings.find(({ digits }) => cents === digits || account.endsWith(`00${digits}`))
  return found?.behaviour ?? 'SETTLE'
}
