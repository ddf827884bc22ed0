import { expect, test } from 'vitest'
import { startBankWorld } from '../../support/bank-files/bank-world.ts'
import { openRecalls } from '../../support/bank-files/recall-files.ts'
import { advance } from '../../support/money/transactions.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Debits that name nothing: the operator of the deployment finds the deposit that they take back. */
const world = await startBankWorld()
const { api } = world
const { command, payShort, debit, shown, unmatched } = openRecalls(world)
const reason = ['--reason', 'The bank has called'] as const
const reverse = (entryId: string, depositId: string, ...more: string[]) =>
  command('bank-files', 'reverse', entryId, '--deposit', depositId, ...more, ...reason)
const outcomeOf = async (entryId: string) => {
  const text = 'select outcome from svc.bank_entries where bank_entry_id = $1'
  return (await api.app.database.query<{ outcome: string }>({ text, values: [entryId] }))[0]?.outcome
}

test('a reversal that an operator chose days later is tried until it succeeds', async () => {
  const { depositId } = await payShort({})
  const entryId = await debit(10_000n)
  await advance(api, 'P2D')
  const owner = openForTest({ connection: api.database.owner })
  for (const text of [
    `create function public.hinder() returns trigger language plpgsql as $$
       begin raise exception 'a test' using errcode = 'lock_not_available'; end $$`,
    'create trigger hinder before insert on svc.deposit_reversals for each row execute function public.hinder()',
  ])
    await owner.query({ text })
  expect(await reverse(entryId, depositId)).toMatchObject({ code: 0 })
  // The first try is over when the next one is due later.
  await eventually(async () => {
    const text = `select from svc.bank_entries where bank_entry_id = $1 and due_at > svc.now()
                   union all select from svc.bank_entries where bank_entry_id = $1 and outcome = 'UNMATCHED'`
    expect(await api.app.database.query({ text, values: [entryId] })).not.toEqual([])
  })
  expect(await outcomeOf(entryId)).toBe('REVERSING')
  expect(await unmatched()).toContain('a worker cannot take the deposit back')
  await owner.query({ text: 'drop trigger hinder on svc.deposit_reversals' })
  await advance(api, 'PT1M')
  await shown(depositId, { reversedAmount: '100.00' })
  expect(await outcomeOf(entryId)).toBe('REVERSAL')
  expect(await unmatched()).not.toContain(entryId)
})
