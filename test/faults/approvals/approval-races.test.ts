import { afterAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { wakeStoppedWork } from '../../../src/transactions/resolutions/store.ts'
import { createHeld, decideAs, makePeople, readApproval } from '../../support/money/approvals.ts'
import { startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { advance, availableIn, expectVerified, readTransaction } from '../../support/money/transactions.ts'
import { createKey } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'

/** Deciders, callers and workers act on the same transaction at the same moment: one wins each race. */
const money = await startMoney()
const { api, wallet, offRamp } = money
const { maker, ann, ben } = await makePeople(api)
const owner = openDatabase({ connection: api.database.owner, connections: 1 })
afterAll(() => owner.close())
const hands = takeOver(money, {})
const turns = { short: 4, full: 60 }
const expireAll = () => untilIdle(() => api.app.approvals.expireDue(5, 60_000))
const held = (demand = {}) => createHeld(money, maker, offRamp, demand)
type Held = Awaited<ReturnType<typeof held>>
const cancel = ({ transactionId }: Held) => api.post(`/transactions/${transactionId}/cancel`)

type Acts<Results extends readonly unknown[]> = { [At in keyof Results]: () => Promise<Results[At]> }

/** Starts these acts while the transaction is locked, so that all of them wait, and then lets them go at once. */
const atOnce = <Results extends readonly unknown[]>(
  { transactionId }: Held,
  ...acts: Acts<Results>
): Promise<Results> =>
  lockedBy(`select from svc.transactions where transaction_id = '${transactionId}' for update`, acts)

/** Starts these acts while a statement holds rows that each of them needs, and then lets them go at once. */
async function lockedBy<Results extends readonly unknown[]>(lock: string, acts: Acts<Results>): Promise<Results> {
  let results: Promise<unknown[]> = Promise.resolve([])
  await api.app.database.inTx(async (tx) => {
    await tx.query({ text: lock })
    results = Promise.all(acts.map((act) => act()))
    await untilWaiting(acts.length)
  })
  return (await results) as unknown as Results
}

/** Waits until this many statements wait for a lock. The service also writes the last uses of keys. */
const untilWaiting = (count: number) =>
  eventually(async () => {
    const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                     and query not like '%set last_used_at%'`
    expect(await owner.query({ text })).toHaveLength(count)
  })

const wakeCustomer = ({ customerId }: Held) =>
  api.app.database.inTx((tx) => wakeStoppedWork(tx, { organizationId: money.organizationId, customerId }))

async function finish(): Promise<void> {
  await expireAll()
  await untilIdle(hands.advanceAll)
  // A claim passes over a payout that the signer of the service holds at that moment.
  await eventually(async () => {
    await untilIdle(hands.payOut)
    const due = `select from svc.payouts where status = 'WAITING' and due_at <= svc.now() and lease_until is null`
    expect(await owner.query({ text: due })).toEqual([])
  })
}

test(
  'an approval and a cancellation at once: the transaction is cancelled once, and its money released once',
  async () => {
    await playRounds(turns, async () => {
      const before = await availableIn(api, wallet)
      const approval = await held()
      const [approved, cancelled] = await atOnce(
        approval,
        () => decideAs(api, ann, approval),
        () => cancel(approval),
      )
      // Until its money moves, an approved transaction can be cancelled, too.
      expect(cancelled.status).toBe(200)
      expect([200, 409]).toContain(approved.status)
      const { approvalStatus, decisions } = await readApproval(api, approval)
      const isFirst = approved.status === 200
      expect([approvalStatus, decisions.length]).toEqual(isFirst ? ['APPROVED', 1] : ['CANCELLED', 0])
      await finish()
      expect(await readTransaction(api, approval)).toMatchObject({ transactionStatus: 'CANCELLED' })
      expect(await availableIn(api, wallet)).toBe(before)
    })
  },
  roundsTimeoutMs,
)

test(
  'a refusal and a cancellation at once: one of them ends the transaction, and its money is released once',
  async () => {
    await playRounds(turns, async () => {
      const before = await availableIn(api, wallet)
      const approval = await held()
      const [refused, cancelled] = await atOnce(
        approval,
        () => decideAs(api, ann, approval, 'REFUSE'),
        () => cancel(approval),
      )
      expect([refused.status, cancelled.status].sort()).toEqual([200, 409])
      const { approvalStatus } = await readApproval(api, approval)
      expect(approvalStatus).toBe(refused.status === 200 ? 'REFUSED' : 'CANCELLED')
      expect(await readTransaction(api, approval)).toMatchObject({ transactionStatus: 'CANCELLED' })
      expect(await availableIn(api, wallet)).toBe(before)
    })
  },
  roundsTimeoutMs,
)

test(
  'two approvals at once, of two that are needed: the second one completes it',
  async () => {
    await playRounds(turns, async () => {
      const approval = await held({ approvals: 2 })
      // Each decision holds its key before it counts: without the lock of the transaction, both would wait here and count one.
      const keys = `select from svc.api_keys where api_key_id in ('${ann.apiKeyId}', '${ben.apiKeyId}') for update`
      const answers = await lockedBy(keys, [() => decideAs(api, ann, approval), () => decideAs(api, ben, approval)])
      expect(answers.map(({ body }) => body.approvalStatus).sort()).toEqual(['APPROVED', 'OPEN'])
      await finish()
      expect(await readTransaction(api, approval)).toMatchObject({ transactionStatus: 'COMPLETED' })
    })
  },
  roundsTimeoutMs,
)

test(
  'two decisions of one key at once: one counts',
  async () => {
    await playRounds(turns, async () => {
      const approval = await held({ approvals: 2 })
      const answers = await atOnce(
        approval,
        () => decideAs(api, ann, approval),
        () => decideAs(api, ann, approval),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      expect(await readApproval(api, approval)).toMatchObject({ approvalStatus: 'OPEN', decisions: [{}] })
      await cancel(approval)
    })
  },
  roundsTimeoutMs,
)

test(
  'an approval and a refusal at once: the first one decides',
  async () => {
    await playRounds(turns, async () => {
      const approval = await held()
      const [approved, refused] = await atOnce(
        approval,
        () => decideAs(api, ann, approval),
        () => decideAs(api, ben, approval, 'REFUSE'),
      )
      expect([approved.status, refused.status].sort()).toEqual([200, 409])
      await finish()
      const transactionStatus = approved.status === 200 ? 'COMPLETED' : 'CANCELLED'
      expect(await readTransaction(api, approval)).toMatchObject({ transactionStatus })
    })
  },
  roundsTimeoutMs,
)

test('a decision whose key is revoked while it waits does not count', async () => {
  const approval = await held()
  const dee = await createKey(api, { name: 'Dee', scopes: ann.scopes })
  const { transactionId } = approval
  let decided: ReturnType<typeof decideAs> | undefined
  await api.app.database.inTx(async (tx) => {
    await tx.query({ text: `select from svc.transactions where transaction_id = '${transactionId}' for update` })
    decided = decideAs(api, dee, approval)
    await untilWaiting(1)
    expect((await api.delete(`/api-keys/${dee.apiKeyId}`)).status).toBe(200)
  })
  expect((await decided)?.status).toBe(401)
  expect(await readApproval(api, approval)).toMatchObject({ approvalStatus: 'OPEN', decisions: [] })
  await cancel(approval)
})

test('the revocation of a key waits for a decision that it has begun: after its answer, none is added', async () => {
  const approval = await held({ approvals: 2 })
  const dee = await createKey(api, { name: 'Dee', scopes: ann.scopes })
  // The decision has its key, and waits for the approval.
  let decided: ReturnType<typeof decideAs> | undefined
  let revoked: ReturnType<typeof api.delete> | undefined
  await api.app.database.inTx(async (tx) => {
    await tx.query({ text: `select from svc.approvals where approval_id = '${approval.approvalId}' for update` })
    decided = decideAs(api, dee, approval)
    await untilWaiting(1)
    revoked = api.delete(`/api-keys/${dee.apiKeyId}`)
    await untilWaiting(2)
  })
  expect([(await decided)?.status, (await revoked)?.status]).toEqual([200, 200])
  // Its approval came in time, and the key was revoked before the last one.
  expect((await decideAs(api, ann, approval)).body).toMatchObject({ approvalStatus: 'OPEN', decisions: [{}, {}] })
  await cancel(approval)
})

test(
  'a decision and the end of its time at once: the approval has expired, and the decision does not count',
  async () => {
    await playRounds(turns, async () => {
      const before = await availableIn(api, wallet)
      const approval = await held({ expiresInHours: 1 })
      // The decision begins in time, and waits until the time is over.
      const [decided] = await atOnce(
        approval,
        () => decideAs(api, ann, approval),
        async () => {
          await advance(api, 'PT1H')
          await expireAll()
        },
      )
      expect(decided.status).toBe(409)
      expect(await readApproval(api, approval)).toMatchObject({ approvalStatus: 'EXPIRED', decisions: [] })
      expect(await readTransaction(api, approval)).toMatchObject({ transactionStatus: 'CANCELLED' })
      expect(await availableIn(api, wallet)).toBe(before)
    })
  },
  roundsTimeoutMs,
)

test('an approval after a worker has looked at the held transaction is not lost', async () => {
  const approval = await held()
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const slow: Database = {
    ...api.app.database,
    inTx: async (work) => {
      arrive()
      await gate
      return api.app.database.inTx(work)
    },
  }
  // A review decision makes every stopped transaction of its customer due.
  await wakeCustomer(approval)
  const looked = takeOver(money, { database: slow }).advanceAll()
  await arrived
  expect((await decideAs(api, ann, approval)).status).toBe(200)
  letGo()
  await looked
  await finish()
  expect(await readTransaction(api, approval)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test('a transaction that a worker looks at while it is held waits on', async () => {
  const approval = await held()
  await wakeCustomer(approval)
  await finish()
  expect(await readTransaction(api, approval)).toMatchObject({ transactionStatus: 'CREATED', approval: {} })
  expect(await money.rows(`select from svc.transactions where due_at is not null`)).toEqual([])
  await cancel(approval)
})

test('every invariant holds', () => expectVerified(api))
