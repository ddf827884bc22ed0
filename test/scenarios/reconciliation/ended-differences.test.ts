import { expect, test } from 'vitest'
import { entry, euroAccount } from '../../support/bank/bank-desk.ts'
import { startSepaPayments } from '../../support/bank/sepa-payments.ts'
import { commandsOf } from '../../support/bank-files/recall-files.ts'
import { advance } from '../../support/money/transactions.ts'
import { accountOn, type ShownItem, settleAll, today } from '../../support/reconciliation/reading.ts'

/** Differences that nothing will match by itself: an operator ends them. */
const { desk, api, reads, organizationId } = await startSepaPayments()
const command = commandsOf(api)
const reason = ['--reason', 'The fees of November'] as const

const itemsNow = async (): Promise<ShownItem[]> => {
  await settleAll(api)
  return (await accountOn(api, 'eur-main', await today(api))).items
}
const openNow = async () => (await itemsNow()).filter(({ state }) => state !== 'MATCHED')
/** Counts what each comparison must name again. */
const countOpen = async (entryId: string) => {
  await api.app.reconciliation.keepNames()
  const text = `select from svc.open_entries where bank_entry_id = $1
                 union all select from svc.kept_names where kind = 'OWN' and balance <> 0`
  return (await api.app.database.query({ text, values: [entryId] })).length
}
const bookFees = async (units: readonly bigint[]): Promise<void> => {
  const day = await today(api)
  const dated = { bookingDate: day, valueDate: day, details: [] }
  const fees = units.map((amount) => entry('DEBIT', amount, {}, { ...dated, bankReference: desk.newReference() }))
  await reads(desk.state(euroAccount, fees))
}

test('bookings that an operator explains with a posting agree for ever, and comparisons read them no more', async () => {
  await bookFees([300n, 400n])
  const booked = (await openNow()).filter(({ kind }) => kind === 'ENTRY').map(({ reference }) => reference)
  expect(booked).toHaveLength(2)
  const fee = { organizationId, holding: 'eur-main', asset: 'EUR', amount: '7.00', reason: 'November' } as const
  await api.app.treasury.chargeFee(fee)
  const own = (await openNow()).find(({ kind }) => kind === 'OWN')?.reference ?? ''
  const explain = (...entries: string[]) =>
    command(
      'reconciliation',
      'explain',
      'eur-main',
      '--own',
      own,
      ...entries.flatMap((id) => ['--entry', id]),
      ...reason,
    )
  const [one = '', two = ''] = booked
  expect(await countOpen(one)).toBe(2)
  expect(await explain(one)).toMatchObject({ code: 1, output: expect.stringContaining('do not add up') })
  expect(await explain(one, one)).toMatchObject({ code: 1, output: expect.stringContaining('each once') })
  expect(await explain(one, two)).toMatchObject({ code: 0, output: expect.stringContaining('are explained') })
  expect(await openNow()).not.toContainEqual(expect.objectContaining({ kind: expect.stringMatching(/OWN|ENTRY/) }))
  expect(await countOpen(one)).toBe(0)
  expect(await explain(one, two)).toMatchObject({ code: 1, output: expect.stringContaining('must be the reference') })
  expect(await api.app.bankFileRecords.listUnmatched()).toEqual([])
  expect((await api.app.reconciliation.proveNames()).flatMap(({ wrong }) => wrong)).toEqual([])
  const [act] = await api.app.database.query<{ details: object }>({
    text: `select details from svc.audit where action = 'difference.explained'`,
  })
  expect(act).toMatchObject({ details: { own, entries: [one, two], reason: 'The fees of November' } })

  const withdraw = () => command('reconciliation', 'withdraw', 'eur-main', '--own', own, ...reason)
  expect(await withdraw()).toMatchObject({ code: 0, output: expect.stringContaining('are open again') })
  expect(await withdraw()).toMatchObject({ code: 1, output: expect.stringContaining('must be the reference') })
  const again = await openNow()
  for (const reference of [own, one, two]) expect(again).toContainEqual(expect.objectContaining({ reference }))
  const unmatched = (await api.app.bankFileRecords.listUnmatched()).map(({ bankEntryId }) => bankEntryId)
  expect(unmatched).toEqual([one, two])
  expect((await api.app.reconciliation.proveNames()).flatMap(({ wrong }) => wrong)).toEqual([])
  expect(await explain(one, two)).toMatchObject({ code: 0 })
})

const decideEntry = (verb: string, reference: string) =>
  command('reconciliation', verb, 'eur-main', '--kind', 'ENTRY', '--reference', reference, ...reason)
const accept = (reference: string) => decideEntry('accept', reference)

test('a difference that an operator accepts is no alarm until its amount changes', async () => {
  await bookFees([55n])
  const young = (await openNow()).find(({ amount }) => amount === '-0.55')?.reference ?? ''
  expect(await accept(young)).toMatchObject({ code: 1, output: expect.stringContaining('may be matched yet') })
  await advance(api, 'P6D')
  const [aged] = (await openNow()).filter(({ amount }) => amount === '-0.55')
  expect(aged).toMatchObject({ kind: 'ENTRY', isAged: true })
  expect(await accept('no such reference')).toMatchObject({ code: 1, output: expect.stringContaining('open item') })
  expect(await accept(aged?.reference ?? '')).toMatchObject({ code: 0 })
  const accepted = (await openNow()).find(({ reference }) => reference === aged?.reference)
  expect(accepted).toMatchObject({ state: 'UNEXPECTED', amount: '-0.55', isAged: false, isAccepted: true })
  const reference = aged?.reference ?? ''
  expect(await accept(reference)).toMatchObject({ code: 1, output: expect.stringContaining('is accepted') })
  const isAged = async () => (await openNow()).find((item) => item.reference === reference)?.isAged
  expect(await decideEntry('withdraw', reference)).toMatchObject({ code: 0 })
  expect(await isAged()).toBe(true)
  expect(await decideEntry('withdraw', reference)).toMatchObject({ code: 1 })
  expect(await accept(reference)).toMatchObject({ code: 0 })
  expect(await isAged()).toBe(false)
  await api.app.database.query({ text: 'update svc.accepted_differences set amount = amount - 1' })
  expect(await isAged()).toBe(true)
})
