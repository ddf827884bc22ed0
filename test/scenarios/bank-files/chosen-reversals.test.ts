import { expect, test } from 'vitest'
import { startBankWorld } from '../../support/bank-files/bank-world.ts'
import { openRecalls, recallFile, txInf } from '../../support/bank-files/recall-files.ts'
import { advance } from '../../support/money/transactions.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Debits that name nothing: the operator of the deployment finds the deposit that they take back. */
const world = await startBankWorld()
const { api, folder } = world
const { command, payShort, debit, read, shown, unmatched, idOf } = openRecalls(world)
const reason = ['--reason', 'The bank has called'] as const
const reverse = (entryId: string, depositId: string, ...more: string[]) =>
  command('bank-files', 'reverse', entryId, '--deposit', depositId, ...more, ...reason)
const outcomeOf = async (entryId: string) => {
  const text = 'select outcome from svc.bank_entries where bank_entry_id = $1'
  return (await api.app.database.query<{ outcome: string }>({ text, values: [entryId] }))[0]?.outcome
}

/** No worker can book a reversal meanwhile. */
async function whileHindered(work: () => Promise<void>): Promise<void> {
  const owner = openForTest({ connection: api.database.owner })
  for (const text of [
    `create or replace function public.hinder() returns trigger language plpgsql as $$
       begin raise exception 'a test' using errcode = 'lock_not_available'; end $$`,
    'create trigger hinder before insert on svc.deposit_reversals for each row execute function public.hinder()',
  ])
    await owner.query({ text })
  try {
    await work()
  } finally {
    await owner.query({ text: 'drop trigger hinder on svc.deposit_reversals' })
  }
  await advance(api, 'PT10M')
}

test('a reversal that an operator chose days later is tried until it succeeds', async () => {
  const { depositId } = await payShort({})
  const entryId = await debit(10_000n)
  await advance(api, 'P2D')
  await whileHindered(async () => {
    expect(await reverse(entryId, depositId)).toMatchObject({ code: 0 })
    // The first try is over when the next one is due later.
    await eventually(async () => {
      const text = `select from svc.bank_entries where bank_entry_id = $1 and due_at > svc.now()
                     union all select from svc.bank_entries where bank_entry_id = $1 and outcome = 'UNMATCHED'`
      expect(await api.app.database.query({ text, values: [entryId] })).not.toEqual([])
    })
    expect(await outcomeOf(entryId)).toBe('REVERSING')
    expect(await unmatched()).toContain('a worker cannot take the deposit back')
  })
  await shown(depositId, { reversedAmount: '100.00' })
  expect(await outcomeOf(entryId)).toBe('REVERSAL')
  expect(await unmatched()).not.toContain(entryId)
})

/** A deposit of which the bank wants a part back. */
async function recalled(
  units: bigint,
  { id, amount, accepts = true }: { id: string; amount: string; accepts?: boolean },
) {
  const { depositId } = await payShort({ transactionId: id }, units)
  await folder.put('incoming', `${id}.xml`, recallFile(id, txInf({ id, amount })))
  await shown(depositId, { recall: { recallStatus: 'OPEN' } })
  const answer = { decision: 'ACCEPT', reason: 'a test' }
  if (accepts) expect((await api.post(`/deposits/${depositId}/recall`, answer)).status).toBe(200)
  return depositId
}

test('a debit takes what earlier debits have left of a recall, and an operator may tell another amount', async () => {
  const depositId = await recalled(25_000n, { id: 'IN-PARTS', amount: '100.00' })
  expect(await reverse(await debit(6_000n), depositId)).toMatchObject({ code: 0 })
  await shown(depositId, { reversedAmount: '60.00', recall: { recallStatus: 'ACCEPTED' } })
  const output = expect.stringContaining('takes 40.00 EUR of the deposit')
  expect(await reverse(await debit(4_500n), depositId)).toMatchObject({ code: 0, output })
  await shown(depositId, { reversedAmount: '100.00', recall: { recallStatus: 'SETTLED' } })
  const another = await debit(8_000n)
  const tooMuch = expect.stringContaining('must be an amount up to 80.00 EUR')
  expect(await reverse(another, depositId, '--amount', '80.01')).toMatchObject({ code: 1, output: tooMuch })
  expect(await reverse(another, depositId, '--amount', '70.00')).toMatchObject({ code: 0 })
  await shown(depositId, { reversedAmount: '170.00' })
})

test('a debit above the recall that is as high as the deposit takes what the operator tells', async () => {
  const depositId = await recalled(10_500n, { id: 'OR-ALL', amount: '100.00' })
  const entryId = await debit(10_500n)
  const doubt = 'may have taken the recalled 100.00 EUR with charges, or 105.00 EUR: tell it with --amount'
  expect(await reverse(entryId, depositId)).toMatchObject({ code: 1, output: expect.stringContaining(doubt) })
  expect(await read(depositId)).not.toHaveProperty('reversedAmount', '105.00')
  expect(await reverse(entryId, depositId, '--amount', '100.00')).toMatchObject({ code: 0 })
  await shown(depositId, { reversedAmount: '100.00', recall: { recallStatus: 'SETTLED' } })
})

test('a debit that also paid payments of ours takes no more than the rest', async () => {
  const depositId = await recalled(25_000n, { id: 'MIXED', amount: '100.00', accepts: false })
  const entryId = await debit(40_100n)
  const owner = openForTest({ connection: api.database.owner })
  // Another message told the second payment first.
  for (const text of [
    `insert into svc.bank_payments (reference, bank_entry_id, external_reference, amount, recorded_at)
     values ('A PAYMENT', $1, 'B', 20100, now())`,
    `insert into svc.bank_payment_tellings (bank_entry_id, reference, amount) values ($1, 'TOLD', 10000)`,
  ])
    await owner.query({ text, values: [entryId] })
  const rejection = { decision: 'REJECT', reason: 'a test' }
  const { status, body } = await api.post(`/deposits/${depositId}/recall`, rejection)
  expect(status).toBe(409)
  // A reviewer has no commands.
  expect(body.message).toContain('ACCEPT is possible')
  expect(body.message).not.toContain('svc ')
  const tooMuch = expect.stringContaining('must be an amount up to 100.00 EUR')
  expect(await reverse(entryId, depositId, '--amount', '100.01')).toMatchObject({ code: 1, output: tooMuch })
  expect(await reverse(entryId, depositId)).toMatchObject({ code: 0 })
  await shown(depositId, { reversedAmount: '100.00', recall: { recallStatus: 'SETTLED' } })
})

test('a small debit does not keep a reviewer from rejecting a recall of the whole payment', async () => {
  const depositId = await recalled(20_000n, { id: 'WHOLE', amount: '', accepts: false })
  const entryId = await debit(30n)
  expect(entryId).not.toBe('')
  const rejection = { decision: 'REJECT', reason: 'a test' }
  expect((await api.post(`/deposits/${depositId}/recall`, rejection)).status).toBe(200)
})

test('a recall is not rejected while a debit takes a part of its deposit', async () => {
  const depositId = await recalled(10_000n, { id: 'TAKEN', amount: '', accepts: false })
  const entryId = await debit(6_100n)
  await whileHindered(async () => {
    expect(await reverse(entryId, depositId)).toMatchObject({ code: 0 })
    const rejection = { decision: 'REJECT', reason: 'a test' }
    expect((await api.post(`/deposits/${depositId}/recall`, rejection)).status).toBe(409)
  })
  await shown(depositId, { reversedAmount: '61.00' })
})

test('a debit whose choice was refused has the name of no reversal', async () => {
  const { depositId } = await payShort({}, 7_700n)
  const entryId = await debit(7_700n)
  const named = async () => {
    const text = `select kind from svc.name_bank_bookings('eur-main', array[$1::uuid])`
    return (await api.app.database.query<{ kind: string }>({ text, values: [entryId] })).map(({ kind }) => kind)
  }
  await whileHindered(async () => {
    expect(await reverse(entryId, depositId)).toMatchObject({ code: 0 })
    expect(await named()).toEqual(['REVERSAL'])
    const text = `update svc.bank_entries set outcome = 'UNMATCHED', due_at = null where bank_entry_id = $1`
    await api.app.database.query({ text, values: [entryId] })
    expect(await named()).toEqual(['ENTRY'])
  })
  expect(await reverse(entryId, depositId)).toMatchObject({ code: 0 })
  await shown(depositId, { reversedAmount: '77.00' })
})

test('with several recalls a debit takes what one of them wants, or an operator tells it', async () => {
  const depositId = await recalled(25_000n, { id: 'SEVERAL', amount: '40.00', accepts: false })
  const payment = '<OrgnlTxId>SEVERAL</OrgnlTxId>'
  await folder.put('incoming', 'more.xml', recallFile('MORE', txInf({ id: 'MORE', payment, amount: '101.00' })))
  await folder.arrived('MORE')
  const withCharges = await debit(4_500n)
  const doubt = expect.stringContaining('tell it with --amount')
  expect(await reverse(withCharges, depositId)).toMatchObject({ code: 1, output: doubt })
  expect(await reverse(await debit(10_100n), depositId)).toMatchObject({ code: 0 })
  await shown(depositId, { reversedAmount: '101.00' })
  const output = expect.stringContaining('takes 40.00 EUR of the deposit')
  expect(await reverse(withCharges, depositId)).toMatchObject({ code: 0, output })
  await shown(depositId, { reversedAmount: '141.00' })
})

test('a debit takes what debits that were chosen before and are not booked yet leave', async () => {
  const depositId = await recalled(25_000n, { id: 'NOT-BOOKED', amount: '100.00' })
  const { depositId: whole } = await payShort({}, 11_000n)
  const debits = [await debit(6_200n), await debit(4_600n), await debit(11_000n), await debit(11_001n)] as const
  await whileHindered(async () => {
    expect(await reverse(debits[0], depositId)).toMatchObject({ code: 0 })
    const output = expect.stringContaining('takes 38.00 EUR of the deposit')
    expect(await reverse(debits[1], depositId)).toMatchObject({ code: 0, output })
    const both = await Promise.all([reverse(debits[2], whole), reverse(debits[3], whole)])
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1])
  })
  await shown(depositId, { reversedAmount: '100.00', recall: { recallStatus: 'SETTLED' } })
  await shown(whole, { reversedAmount: '110.00' })
})

test('an accepted recall that names several payments is counted until an operator has chosen', async () => {
  const opened = async () => /^svc_bank_recalls_open (\S+)$/m.exec(String((await api.get('/metrics')).body))?.[1]
  const before = Number(await opened())
  const uetr = '5a9e6679-7425-40de-944b-e07fc1f90ae7'
  const [one] = [await payShort({ uetr }), await payShort({ transactionId: 'TX-TWO' }, 9_000n)]
  const payment = `<OrgnlTxId>TX-TWO</OrgnlTxId><OrgnlUETR>${uetr}</OrgnlUETR>`
  await folder.put('incoming', 'two.xml', recallFile('TWO', txInf({ id: 'TWO', payment, amount: '' })))
  await shown(one.depositId, { recall: { recallStatus: 'OPEN' } })
  const recallId = await idOf(/2 payments: link it with one/)
  expect((await command('deposits', 'accept-recall', recallId, ...reason)).code).toBe(0)
  expect(await opened()).toBe(String(before + 1))
  expect((await command('deposits', 'link-recall', recallId, '--deposit', one.depositId, ...reason)).code).toBe(0)
  expect(await opened()).toBe(String(before))
})
