import { afterAll, expect, onTestFinished, test } from 'vitest'
import { makeApplicant } from '../../support/customers/applicants.ts'
import {
  type Customer,
  createCustomer,
  eventsOf,
  readCustomer,
  waitForStatus,
} from '../../support/customers/customers.ts'
import { startProviderSimulator } from '../../support/customers/provider-simulator.ts'
import { startApi, testMasterKey } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { childrenOf, type Svc, svc, untilFileEnds, urlOf } from '../../support/runner/process.ts'

/** Workers die and freeze at the worst moments, while the API in this process and the provider keep running. */
const provider = await startProviderSimulator()
const { folder, remove } = await makeFolder('svc killed ')
const settings = {
  ...provider.settings,
  SVC_SANDBOX_VERIFICATION_DELAY: '0',
  SVC_BLOB_DIR: folder,
  SVC_LEASE_MS: '500',
}
const api = await startApi(settings)
afterAll(async () => {
  await provider.close()
  await remove()
})

type Worker = { pid: number; process: Svc }
const untilEnd = untilFileEnds()

async function startWorker(): Promise<Worker> {
  const wanted = {
    ...settings,
    DATABASE_URL: urlOf(api.database.owner),
    SVC_MASTER_KEY: testMasterKey.toString('base64'),
    SVC_DATA_DIR: folder,
  }
  const worker = svc(['worker'], wanted, '', untilEnd)
  await worker.prints(/the worker is running/)
  const [pid = 0] = childrenOf(worker.child.pid ?? 0)
  return { pid, process: worker }
}

/** Reuses the worker that survived the previous test as the one to kill: a start costs seconds. */
let survivor: Worker | undefined
async function takeDoomed(): Promise<Worker> {
  const doomed = survivor ?? (await startWorker())
  survivor = undefined
  return doomed
}
async function startSurvivor(): Promise<void> {
  survivor = await startWorker()
}

async function requestOf({ customerId }: Customer): Promise<{ reference: string; state: string } | undefined> {
  const text = 'select reference, state from svc.provider_requests where customer_id = $1'
  return (await api.app.database.query<{ reference: string; state: string }>({ text, values: [customerId] }))[0]
}

async function expectOneDecision(customer: Customer): Promise<void> {
  // Advances business time until the customer has the status.
  const hurry = async () => {
    await api.post('/sandbox/clock', { advance: 'PT1M' })
    return (await readCustomer(api, customer)).customerStatus
  }
  await expect.poll(hurry, { interval: 100 }).toBe('ACTIVE')
  const approvedOnce = ['customer.created CREATED', 'customer.updated UNDER_REVIEW', 'customer.updated ACTIVE']
  await expect.poll(() => eventsOf(api, customer)).toEqual(approvedOnce)
  const { reference, state } = (await requestOf(customer)) ?? { reference: '', state: '' }
  expect([state, provider.known.get(reference)?.submitted]).toEqual(['DECIDED', 1])
  expect(await api.app.verify()).toMatchObject({ ok: true })
}

async function submit(): Promise<Customer> {
  provider.judge = () => ({ status: 'APPROVED' })
  provider.requests = []
  return createCustomer(api, { kycData: makeApplicant() })
}

const arrived = (pattern: RegExp) => expect.poll(() => provider.requests.some((each) => pattern.test(each))).toBe(true)

test.each([
  ['after it recorded the intent, before it sent anything', 'PUT document', 'never answers', /^PUT .*documents/],
  ['after it sent the submission, before it recorded that', 'PUT', 'never answers after the effect', /^PUT [^/]*$/],
] as const)('a worker killed %s leaves one decision', async (_when, on, does, request) => {
  provider.faults = [{ on, does }]
  const customer = await submit()
  const doomed = await takeDoomed()
  await arrived(request)
  process.kill(doomed.pid, 'SIGKILL')
  await doomed.process.exited
  expect((await requestOf(customer))?.state).toBe('SENDING')
  await startSurvivor()
  await expectOneDecision(customer)
})

test('a worker killed after the provider answered, before it recorded the answer, leaves one decision', async () => {
  const customer = await submit()
  const doomed = await takeDoomed()
  await expect.poll(async () => (await requestOf(customer))?.state).toBe('WAITING')
  await lockingCustomer(customer, async (isAwaited) => {
    await api.post('/sandbox/clock', { advance: 'PT1M' })
    await arrived(/^GET/)
    await expect.poll(isAwaited).toBe(true)
    process.kill(doomed.pid, 'SIGKILL')
    await doomed.process.exited
  })
  expect((await readCustomer(api, customer)).customerStatus).toBe('UNDER_REVIEW')
  await startSurvivor()
  await expectOneDecision(customer)
})

test('a worker frozen past its lease writes nothing when it continues', async () => {
  provider.faults = [{ on: 'PUT', does: 'never answers after the effect' }]
  const customer = await submit()
  const frozen = await takeDoomed()
  await arrived(/^PUT [^/]*$/)
  process.kill(frozen.pid, 'SIGSTOP')
  onTestFinished(() => void (frozen.process.child.exitCode === null && process.kill(frozen.pid, 'SIGKILL')))
  await startSurvivor()
  await expectOneDecision(customer)
  process.kill(frozen.pid, 'SIGCONT')
  // It sees the provider's timeout, and can still stop in an orderly way.
  provider.dropHeld()
  frozen.process.child.kill('SIGTERM')
  await frozen.process.exited
  await expectOneDecision(customer)
  await waitForStatus(api, customer, 'ACTIVE')
})

/** Locks the customer's row, so that a deciding worker has to wait, and reports whether one waits. */
async function lockingCustomer(
  { customerId }: Customer,
  meanwhile: (isAwaited: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const owner = openForTest({ connection: api.database.owner })
  const text = `select count(*) > 0 as awaited from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock'`
  const isAwaited = async () => (await owner.query<{ awaited: boolean }>({ text }))[0]?.awaited ?? false
  await owner.inTx(async (tx) => {
    await tx.query({
      text: 'select status from svc.customers where customer_id = $1 for update',
      values: [customerId],
    })
    await meanwhile(isAwaited)
  })
}
