import type { AccountName } from '../formats.ts'

/** The ways in which the sandbox's bank treats a payment. */
export type Behaviour = 'SETTLE' | 'REFUSE' | 'RETURN' | 'LOSE_REPLY' | 'LOSE_REQUEST' | 'SLOW'

/** Magic endings: the last four digits of the receiver's account, or of the name before the @ of an email address. */
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

/** Amounts have no endings: rates and fees make them, so that one payment in twenty would have one by chance. */
export function behaviourOf({ iban, number = '' }: AccountName): Behaviour {
  const account = (iban ?? number).replace(/@.*$/, '')
  return bankEndings.find(({ digits }) => account.endsWith(`00${digits}`))?.behaviour ?? 'SETTLE'
}
