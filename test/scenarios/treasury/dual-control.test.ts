import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { advance, expectVerified } from '../../support/money/transactions.ts'
import { startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { runSvc } from '../../support/runner/process.ts'

/** Two persons for each movement of own money. Ada's process has the setting; the others find it in the database. */
const sandbox = { SVC_SANDBOX_LIQUIDITY: '0' }
const ada = await startApi({ ...sandbox, SVC_OPERATOR: 'ada', SVC_TREASURY_APPROVALS: '2' })
const { database } = ada
const bob = await startApi({ ...sandbox, SVC_OPERATOR: 'bob' }, { database })
const cleo = await startApi({ ...sandbox, SVC_OPERATOR: 'cleo' }, { database })
const { organizationId } = first((await ada.get('/organizations')).body.organizations)
const usd = { organizationId, holding: 'usd-main', asset: 'USD', reason: 'a test' }

const rows = (text: string) => ada.app.database.query({ text })
const available = () => rows(`select available - costs as left from svc.liquidity where holding = 'usd-main'`)
const stateOf = async (proposalId: string) =>
  first(
    await ada.app.database.query({
      text: 'select status, decided_by as "by" from svc.treasury_proposals where proposal_id = $1',
      values: [proposalId],
    }),
  )

async function propose(amount: string, act: 'fund' | 'withdraw' = 'fund'): Promise<string> {
  const submitted = await ada.app.treasury[act]({ ...usd, amount })
  if (submitted.result !== 'PROPOSED') throw new Error('it was recorded at once')
  return submitted.proposalId
}

test('one person proposes, another approves, through the command line', async () => {
  const args = ['--organization', organizationId, '--holding', 'usd-main', '--asset', 'USD', '--amount', '100.00']
  const fund = ['treasury', 'fund', ...args, '--reason', 'Top-up of March']
  const unnamed = await runSvc(ada, fund)
  expect(unnamed).toEqual({ code: 2, output: expect.stringContaining('SVC_OPERATOR must name the person') })
  const proposed = await runSvc(ada, fund, { SVC_OPERATOR: 'ada' })
  expect(proposed.code).toBe(0)
  const [command = '', proposalId = ''] = /svc treasury approve (\S+)/.exec(proposed.output) ?? []
  expect(command).not.toBe('')
  expect(await available()).toEqual([])

  const shown = await runSvc(ada, ['treasury', 'show'])
  expect(shown.output).toContain(`${proposalId}  organization ${organizationId}  FUND 100.00 USD at usd-main`)
  expect(shown.output).toMatch(/proposed by ada, expires \S+: Top-up of March/)

  const approve = ['treasury', 'approve', proposalId]
  const own = await runSvc(ada, approve, { SVC_OPERATOR: 'ada' })
  expect(own).toEqual({ code: 1, output: expect.stringContaining('another person must approve it') })
  const approved = await runSvc(ada, approve, { SVC_OPERATOR: 'bob' })
  expect(approved).toEqual({ code: 0, output: expect.stringContaining('Recorded: FUND 100.00 USD at usd-main.') })
  expect(await available()).toEqual([{ left: '10000' }])
  expect((await ada.app.treasury.readOverview()).proposals).toEqual([])
  await expectVerified(ada)

  const acts = await rows(`select actor, action, details from svc.audit where action like 'treasury.%' order by at`)
  const moved = { holding: 'usd-main', asset: 'USD', amount: '100.00', reason: 'Top-up of March' }
  expect(acts).toEqual([
    { actor: 'operator:ada', action: 'treasury.dual_control_required', details: {} },
    { actor: 'operator:ada', action: 'treasury.proposed', details: { act: 'FUND', ...moved } },
    { actor: 'operator:bob', action: 'treasury.funded', details: { ...moved, proposalId, proposedBy: 'ada' } },
  ])
})

test('of two approvals at the same time one records the movement', async () => {
  const before = first(await available()) as { left: string }
  for (let round = 0; round < 5; round += 1) {
    const proposalId = await propose('10.00')
    const results = await Promise.allSettled([bob, cleo].map(({ app }) => app.treasury.approve(proposalId)))
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const refused = results.find((result) => result.status === 'rejected')
    expect(String(refused?.reason)).toMatch(/Nothing was changed: (bob|cleo) has approved this proposal already/)
    expect(await stateOf(proposalId)).toMatchObject({ status: 'EXECUTED' })
  }
  expect(await available()).toEqual([{ left: String(BigInt(before.left) + 50_00n) }])
  await expectVerified(ada)
})

test('an approval and a refusal at the same time have one result', async () => {
  const before = first(await available()) as { left: string }
  const proposalId = await propose('10.00')
  await Promise.allSettled([bob.app.treasury.approve(proposalId), cleo.app.treasury.refuse(proposalId, 'too much')])
  const { status } = (await stateOf(proposalId)) as { status: string }
  const added = status === 'EXECUTED' ? 10_00n : 0n
  expect(await available()).toEqual([{ left: String(BigInt(before.left) + added) }])
  await expectVerified(ada)
})

test('liquidity is checked when a proposal is approved, and the proposal stays open without it', async () => {
  const { left } = first(await available()) as { left: string }
  const all = `${left.slice(0, -2)}.${left.slice(-2)}`
  const [one, two] = [await propose(all, 'withdraw'), await propose(all, 'withdraw')]
  await bob.app.treasury.approve(one)
  await expect(bob.app.treasury.approve(two)).rejects.toThrow('Less than this amount is available')
  expect(await stateOf(two)).toEqual({ status: 'OPEN', by: null })
  await bob.app.treasury.approve(await propose(all))
  await cleo.app.treasury.approve(two)
  expect(await available()).toEqual([{ left: '0' }])
  await expectVerified(ada)
})

test('a rebalance and a fee wait for a second person, too', async () => {
  await bob.app.treasury.approve(await propose('50.00'))
  const fee = await ada.app.treasury.chargeFee({ ...usd, amount: '5.00' })
  const move = { ...usd, from: 'TREASURY', to: 'TREASURY', asset: 'USDC/BASE', toAsset: 'USDC/SOLANA', amount: '1' }
  const moved = await ada.app.treasury.rebalance(move)
  expect(await available()).toEqual([{ left: '5000' }])
  const [feeId, moveId] = [fee, moved].map((each) => (each.result === 'PROPOSED' ? each.proposalId : ''))
  await bob.app.treasury.approve(feeId ?? '')
  expect(await available()).toEqual([{ left: '4500' }])
  await expect(bob.app.treasury.approve(moveId ?? '')).rejects.toThrow('Less than this amount is available')
  await ada.app.treasury.refuse(moveId ?? '', 'a mistake of mine')
  await expect(bob.app.treasury.approve(moveId ?? '')).rejects.toThrow('ada has refused this proposal')
  expect(await stateOf(moveId ?? '')).toEqual({ status: 'REFUSED', by: 'ada' })
  await expectVerified(ada)
})

test('a proposal expires after seven days', async () => {
  const proposalId = await propose('10.00')
  await advance(ada, 'P6DT23H')
  expect((await bob.app.treasury.readOverview()).proposals).toMatchObject([{ proposalId }])
  await advance(ada, 'PT1H')
  expect((await bob.app.treasury.readOverview()).proposals).toEqual([])
  await expect(bob.app.treasury.approve(proposalId)).rejects.toThrow('the proposal has expired after 7 days')
  expect(await stateOf(proposalId)).toEqual({ status: 'OPEN', by: null })
  await expect(bob.app.treasury.approve(newId())).rejects.toThrow('There is no proposal')
})

test('the database refuses one person in both roles, and a process cannot change what was proposed', async () => {
  const proposalId = await propose('10.00')
  const where = `where proposal_id = '${proposalId}'`
  const decided = `update svc.treasury_proposals set status = 'EXECUTED', decided_by = 'ada', decided_at = now() ${where}`
  await expect(rows(decided)).rejects.toThrow('treasury_proposals_two_persons')
  for (const change of [`amount = 1`, `proposed_by = 'bob'`]) {
    await expect(rows(`update svc.treasury_proposals set ${change} ${where}`)).rejects.toThrow('permission denied')
  }
  await expect(rows('delete from svc.dual_control')).rejects.toThrow('permission denied')
  const owner = openDatabase({ connection: database.owner })
  await owner.query({ text: 'delete from svc.dual_control' })
  await owner.close()
  expect(await bob.app.treasury.fund({ ...usd, amount: '1.00' })).toEqual({ result: 'RECORDED' })
})
