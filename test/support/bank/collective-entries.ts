import { expect } from 'vitest'
import type { NewEntry } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import type { EntryDetail } from '../../../src/transactions/bank-files/formats.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { type BankDesk, entry, waitUntilRead } from './bank-desk.ts'

/** A transaction of a collective entry. */
export type Payment = { units: bigint } & Partial<EntryDetail>

export const detail = ({ units, ...more }: Payment): EntryDetail => ({
  references: {},
  charges: [],
  remittance: [],
  creditorReferences: [],
  counterparty: { name: 'Ada Approve' },
  amount: { currency: 'EUR', units },
  ...more,
})

/** An entry with one transaction. */
export const single = (payment: Payment, more: Partial<NewEntry> = {}) =>
  entry('CREDIT', payment.units, {}, { details: [detail(payment)], ...more })

/** An entry with several transactions, booked as one sum. */
export const collective = (payments: readonly Payment[], more: Partial<NewEntry> = {}) => {
  const total = payments.reduce((sum, { units }) => sum + units, 0n)
  return entry('CREDIT', total, {}, { details: payments.map(detail), ...more })
}

/** Reads what Svc has made of the entries that a bank has told. */
export function readBookings(api: TestApi, desk: BankDesk) {
  async function read() {
    await waitUntilRead(api, desk)
    const text = 'select from svc.sightings where due_at is not null'
    await eventually(async () => expect(await api.app.database.query({ text })).toEqual([]))
  }

  /** The deposits with one of these amounts, and the number of entries that wait in quarantine. */
  async function booked(...amounts: bigint[]) {
    await read()
    const text = `select external_id as "externalId", amount, reversed_amount as reversed from svc.deposits
                   where status <> 'ASSIGNED' and amount = any($1) order by amount, external_id`
    return api.app.database.query<{ externalId: string; amount: string; reversed: string }>({ text, values: [amounts] })
  }

  const waiting = async () => (await api.app.quarantinedSightings.list()).map(({ amount }) => amount)

  return { read, booked, waiting }
}
