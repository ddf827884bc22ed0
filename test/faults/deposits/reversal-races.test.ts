import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { makeBlock, watchChain } from '../../support/deposits/sightings.ts'
import { createMany, pay, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { advance, availableIn, sendDeposit, transferReference } from '../../support/money/transactions.ts'
import type { Answer } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'

/** A bank or chain takes a deposit back while workers and operators act on it: its money moves once. */
const money = await startMoney()
const { api, rows } = money
const workers = takeOver(money, {})
const { report, orphan } = watchChain(api)
const turns = { short: 3, full: 25 }

async function unmatched(): Promise<string> {
  const sent = await sendDeposit(api, money.bank, { amount: '10.00', currency: 'USD', rail: 'ACH' })
  await untilIdle(workers.receive)
  return idOf(sent)
}
const idOf = async (externalId: string) =>
  first(await rows<{ id: string }>(`select deposit_id as id from svc.deposits where external_id = '${externalId}'`)).id
const reverse = (depositId: string, body: object) => api.post(`/sandbox/deposits/${depositId}/reverse`, body)
/** The observer repeats a report that met another decision. */
async function reverseSurely(depositId: string, reversalReference: string): Promise<void> {
  for (let answer = await reverse(depositId, { reversalReference }); answer.status !== 200; ) {
    expect(answer.body.error).toBe('CONFLICT')
    answer = await reverse(depositId, { reversalReference })
  }
}
const decide = (depositId: string, body: object) =>
  api.post(`/deposits/${depositId}/resolve`, { ...body, reason: 'a test' })
const owedOn = async (depositId: string) =>
  first(
    await rows<{ owed: string }>(
      `select coalesce(sum(owed_amount), 0) as owed from svc.deposit_reversals where deposit_id = '${depositId}'`,
    ),
  ).owed
/** Ends what is owed as if the customer had paid it, so that the next round can pay. */
async function recoverAll(): Promise<void> {
  for (const { reversalId } of await api.app.depositReversals.list()) {
    await api.app.depositReversals.recover({ reversalId, from: 'bank', reason: 'a test' })
  }
}
async function expectMoneyVerified(): Promise<void> {
  const { checks } = await api.app.verify()
  expect(checks.filter(({ ok, isMoney }) => isMoney && !ok)).toEqual([])
}
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

test(
  'of one block a transfer is final or orphaned: its money is there once, or taken back and owed',
  async () => {
    await playRounds(turns, async () => {
      const { paymentAccountId, svcCryptoWallet } = await createAccount(api, serviceWalletOf(money.onRamp.customerId))
      const address = svcCryptoWallet?.address.address ?? ''
      const transfers = Array.from({ length: 6 }, () => ({ externalId: `0x${newId()}:0`, block: makeBlock() }))
      await Promise.all(transfers.map((each) => report({ ...each, address, state: 'SEEN' })))
      await Promise.all([
        ...transfers.map((each) => report({ ...each, address })),
        ...transfers.map(({ externalId, block }) => orphan(externalId, block.hash)),
        ...Array.from({ length: 3 }, () => untilIdle(workers.receive)),
      ])
      await untilIdle(workers.receive)
      let [credited, owed] = [0n, 0n]
      for (const { externalId } of transfers) {
        const [found] = await rows<{ state: string; status: string | null }>(
          `select sighting.state, deposit.status from svc.sightings as sighting
             left join svc.deposits as deposit using (method, book, external_id)
            where sighting.external_id = '${externalId}'`,
        )
        const ends = ['FINAL CREDITED', 'ORPHANED null', 'ORPHANED REVERSED']
        expect(ends).toContain(`${found?.state} ${found?.status}`)
        if (found?.status) credited += 25n
        if (found?.status === 'REVERSED') owed += 25n
      }
      expect(await availableIn(api, paymentAccountId)).toBe(`${credited}.000000`)
      const open = await api.app.depositReversals.list()
      expect(open.reduce((sum, { owedAmount }) => sum + BigInt(owedAmount), 0n)).toBe(owed * 1_000_000n)
      await expectMoneyVerified()
      await recoverAll()
      await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
    })
  },
  roundsTimeoutMs,
)

test(
  'a reversal against the return of the deposit: the return never leaves, or the customer owes it',
  async () => {
    await playRounds(turns, async () => {
      const depositId = await unmatched()
      const returned = () => decide(depositId, { action: 'RETURN', paymentAccountId: money.bank })
      await Promise.all([
        returned().then(() => untilIdle(workers.payOut)),
        untilIdle(workers.payOut),
        reverseSurely(depositId, 'r-1'),
        reverseSurely(depositId, 'r-1'),
      ])
      await advance(api, 'PT2M')
      await untilIdle(workers.payOut)
      const left = await rows(
        `select 1 from svc.payouts where deposit_id = '${depositId}' and status in ('SENDING', 'SENT', 'CONFIRMED')`,
      )
      expect(await owedOn(depositId)).toBe(left.length > 0 ? '1000' : '0')
      await expectMoneyVerified()
      await recoverAll()
    })
  },
  roundsTimeoutMs,
)

test(
  'a reversal against the payout of its transaction and a rejection: what has not left stays',
  async () => {
    await playRounds(turns, async () => {
      await api.app.rates.refresh()
      const made = first(await createMany(money, money.onRamp, 1))
      const depositId = await pay(money, made).then(async (sent) => {
        await untilIdle(workers.receive)
        return idOf(sent)
      })
      await untilIdle(workers.advanceAll)
      await Promise.all([
        reverseSurely(depositId, 'r-1'),
        untilIdle(workers.payOut),
        api.post(`/transactions/${made.transactionId}/resolve`, { action: 'REJECT', reason: 'a test' }),
      ])
      const started = () =>
        rows(`select payout_id from svc.payouts where transaction_id = '${made.transactionId}' and attempts > 0`)
      const before = await started()
      await advance(api, 'PT2M')
      await untilIdle(workers.payOut)
      expect(await started()).toEqual(before)
      expect(await owedOn(depositId)).toBe('1000')
      await expectMoneyVerified()
      await recoverAll()
      await advance(api, 'PT2M')
      await untilIdle(workers.payOut)
      await expectMoneyVerified()
    })
  },
  roundsTimeoutMs,
)

test('a reversal between the last check of the customer and the start keeps the payout from leaving', async () => {
  await api.app.rates.refresh()
  const made = first(await createMany(money, money.onRamp, 1))
  const sent = await pay(money, made)
  await untilIdle(workers.receive)
  await untilIdle(workers.advanceAll)
  const depositId = await idOf(sent)
  const late = takeOver(money, {
    screening: {
      // Called after the worker has read what the customer owes.
      listVersion: async () => {
        await reverseSurely(depositId, 'r-1')
        return undefined
      },
    },
  })
  await late.payOut()
  expect(await rows(`select status, attempts from svc.payouts where transaction_id = '${made.transactionId}'`)).toEqual(
    [{ status: 'WAITING', attempts: 0 }],
  )
  await expectMoneyVerified()
  await recoverAll()
})

test(
  'of reversals at once each id counts once, and together they never take more than the deposit',
  async () => {
    await playRounds(turns, async () => {
      const depositId = await unmatched()
      const same = await Promise.all(
        Array.from({ length: 8 }, () => reverse(depositId, { amount: '1.00', reversalReference: 'same' })),
      )
      expect(new Set(statuses(same))).toEqual(new Set([200]))
      const others = await Promise.all([
        ...Array.from({ length: 6 }, () => reverse(depositId, { amount: '4.00' })),
        decide(depositId, { action: 'CREDIT' }),
      ])
      expect(statuses(others).filter((status) => status === 200).length).toBeGreaterThanOrEqual(2)
      const [deposit] = await rows<{ reversed: string }>(
        `select reversed_amount as reversed from svc.deposits where deposit_id = '${depositId}'`,
      )
      expect(deposit?.reversed).toBe('900')
      await expectMoneyVerified()
      await recoverAll()
    })
  },
  roundsTimeoutMs,
)

test('a dropped block takes the payouts of a deposit before its transaction', async () => {
  const wish = { ...money.offRamp, from: [money.external, 'USDC', 'BASE', '25'] } as const
  await api.app.rates.refresh()
  const made = first(await createMany(money, wish, 1))
  await advance(api, 'PT61M')
  const [externalId, block] = [`0x${newId()}:0`, makeBlock()]
  // Late, and no worker has ended the transaction yet: its return waits.
  await report({ externalId, block, address: transferReference(made) ?? '' })
  await untilIdle(workers.receive)
  const orphaned = await api.app.database.inTx(async (tx) => {
    const lock = (text: string) => tx.query({ text, values: [made.transactionId] })
    await lock('select payout_id from svc.payouts where transaction_id = $1 for no key update')
    const dropping = orphan(externalId, block.hash)
    const waits = `select pid from pg_locks join pg_stat_activity using (pid)
                    where not granted and datname = current_database()`
    await expect.poll(() => rows(waits)).toHaveLength(1)
    await lock('select transaction_id from svc.transactions where transaction_id = $1 for no key update nowait')
    return { dropping }
  })
  expect(await orphaned.dropping).toBe('CONTRADICTED')
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
  await untilIdle(workers.advanceAll)
  expect(await rows(`select status from svc.transactions where transaction_id = '${made.transactionId}'`)).toEqual([
    { status: 'EXPIRED' },
  ])
  await expectMoneyVerified()
})
