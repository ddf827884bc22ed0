import type { NewEntry } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import type { DetailReferences } from '../../../src/transactions/bank-files/formats.ts'
import { type BankDesk, balancesOf, entry, euroAccount } from './bank-desk.ts'

/** A telling of a credit, as far as it matters. Ids are made distinct for each case. */
export type Telling = {
  by: 'notify' | 'state'
  ids?: DetailReferences
  bank?: string
  day?: string
  valueDay?: string | null
  payer?: string
  text?: string
  statement?: string
  entryReference?: string
}

const notified = (more: Omit<Telling, 'by'> = {}): Telling => ({ by: 'notify', ...more })
const stated = (more: Omit<Telling, 'by'> = {}): Telling => ({ by: 'state', ...more })

const saturday = { day: '2026-11-14' }
const monday = { day: '2026-11-16', valueDay: '2026-11-14' }
const uetr = 'eb6305c9-1f7f-49de-aed0-16487c27b4'

type Case = [title: string, one: Telling, two: Telling, deposits: number, waiting: number]

export const cases: Case[] = [
  ['one UETR, two booking days', notified({ ids: { uetr }, ...saturday }), stated({ ids: { uetr }, ...monday }), 1, 0],
  [
    'one UETR, a reference of the bank in one of them',
    notified({ ids: { uetr }, ...saturday }),
    stated({ ids: { uetr }, bank: 'B', ...monday }),
    1,
    0,
  ],
  [
    'one UETR, two references of the bank in two kinds of message',
    notified({ ids: { uetr }, bank: 'N' }),
    stated({ ids: { uetr }, bank: 'S' }),
    1,
    0,
  ],
  [
    'one UETR, two references of the bank in one kind of message',
    stated({ ids: { uetr }, bank: 'N' }),
    stated({ ids: { uetr }, bank: 'S' }),
    1,
    1,
  ],
  [
    'one UETR, two references of the bank, two payers with texts of their own',
    notified({ ids: { uetr }, bank: 'N', payer: 'Ada', text: 'a' }),
    stated({ ids: { uetr }, bank: 'S', payer: 'Bob', text: 'b' }),
    1,
    1,
  ],
  [
    'two references of the bank in two kinds of message, all else the same',
    notified({ bank: 'N' }),
    stated({ bank: 'S' }),
    1,
    1,
  ],
  ['two references of the bank in one kind of message', stated({ bank: 'N' }), stated({ bank: 'S' }), 2, 0],
  [
    'two references of the bank in two kinds of message, two payers',
    notified({ bank: 'N', payer: 'Ada' }),
    stated({ bank: 'S', payer: 'Bob' }),
    2,
    0,
  ],
  [
    'a reference that the bank counts anew each day',
    stated({ bank: '1', payer: 'Ada', day: '2026-11-13' }),
    stated({ bank: '1', payer: 'Bob', day: '2026-11-16' }),
    1,
    1,
  ],
  [
    'a reference that the bank counts anew each day, the same payer',
    stated({ bank: '1', text: 'a', day: '2026-11-13' }),
    stated({ bank: '1', text: 'b', day: '2026-11-16' }),
    1,
    1,
  ],
  [
    'a reference that the bank counts anew in each message',
    notified({ bank: '1', payer: 'Ada', text: 'a' }),
    stated({ bank: '1', payer: 'Bob', text: 'b' }),
    1,
    1,
  ],
  [
    'one reference of the bank, the text in other words',
    notified({ bank: 'B', text: 'a', ...saturday }),
    stated({ bank: 'B', text: 'b', ...monday }),
    1,
    0,
  ],
  [
    'one clearing reference, two payers with texts of their own',
    notified({ ids: { clearingReference: 'C' }, payer: 'Ada', text: 'a' }),
    stated({ ids: { clearingReference: 'C' }, payer: 'Bob', text: 'b' }),
    1,
    1,
  ],
  [
    'one transaction id, two booking days',
    notified({ ids: { transactionId: 'T' }, ...saturday }),
    stated({ ids: { transactionId: 'T' }, ...monday }),
    1,
    0,
  ],
  [
    'one end-to-end id and payer, two booking days',
    notified({ ids: { endToEndId: 'E' }, text: 'a', ...saturday }),
    stated({ ids: { endToEndId: 'E' }, text: 'b', ...monday }),
    1,
    0,
  ],
  [
    'one end-to-end id, two payers',
    notified({ ids: { endToEndId: 'E' }, payer: 'Ada' }),
    stated({ ids: { endToEndId: 'E' }, payer: 'Bob' }),
    1,
    1,
  ],
  ['one text, two booking days', notified(saturday), stated(monday), 1, 1],
  ['two transaction ids', notified({ ids: { transactionId: 'T' } }), stated({ ids: { transactionId: 'U' } }), 2, 0],
  [
    'a statement that comes again with another entry before it',
    stated({ statement: 'S', entryReference: 'N' }),
    stated({ statement: 'S', entryReference: 'N' }),
    1,
    0,
  ],
  [
    'a statement that comes again with a mended text',
    stated({ statement: 'S', entryReference: 'N', text: 'Rechnug' }),
    stated({ statement: 'S', entryReference: 'N', text: 'Rechnung' }),
    1,
    1,
  ],
  [
    'a statement that comes again with a mended text, and has no references',
    stated({ statement: 'S', text: 'Rechnug' }),
    stated({ statement: 'S', text: 'Rechnung' }),
    1,
    1,
  ],
  ['a statement that comes again under another id', stated({ valueDay: null }), stated(), 1, 1],
  [
    'no reference but the word for none',
    stated({ bank: 'NONREF', payer: 'Ada', text: 'a', day: '2026-11-12' }),
    stated({ bank: 'NONREF', payer: 'Bob', text: 'b', day: '2026-11-16' }),
    2,
    0,
  ],
  [
    'a reference that a bank uses again after a year',
    stated({ bank: 'Y', payer: 'Ada', day: '2025-11-14' }),
    stated({ bank: 'Y', payer: 'Bob', day: '2026-11-16' }),
    1,
    1,
  ],
  [
    'a standing order under a statement id that comes again',
    notified({ statement: 'S', day: '2026-11-09' }),
    notified({ statement: 'S', day: '2026-11-16' }),
    2,
    0,
  ],
]

/** Makes both tellings of a case with an amount of their own, each in a statement of its own. */
export function createPlan(desk: Pick<BankDesk, 'newReference'>) {
  let units = 10_000n
  let number = 10
  return (one: Telling, two: Telling) => {
    units += 1n
    number += 1
    const [amount, own] = [units, number]
    const id = (text: string) => (text === uetr ? `${uetr}${own}` : text === 'NONREF' ? text : `${text}-${own}`)
    const tell = ({ by, ids = {}, bank, day = '2026-11-16', valueDay = day, ...told }: Telling, isSecond: boolean) => {
      const references = Object.fromEntries(Object.entries(ids).map(([kind, text]) => [kind, id(text)]))
      const { payer = 'Ada', text = 'the text', statement, entryReference } = told
      const { valueDate: _, ...made } = entry(
        'CREDIT',
        amount,
        { references, counterparty: { name: payer }, remittance: [text] },
        { bookingDate: day, ...(bank ? { bankReference: id(bank) } : {}) },
      )
      const credit: NewEntry = {
        ...made,
        ...(valueDay ? { valueDate: valueDay } : {}),
        ...(entryReference ? { entryReference: id(entryReference) } : {}),
      }
      const before = isSecond && entryReference ? [entry('CREDIT', 1n, {}, { bookingDate: '2024-01-01' })] : []
      const statementId = statement ? id(statement) : desk.newReference()
      const entries = [...before, credit]
      const balances = by === 'state' ? balancesOf(euroAccount, entries) : []
      return { by, statement: { statementId, account: euroAccount, balances, entries } }
    }
    return { amount, first: tell(one, false), second: tell(two, true) }
  }
}
