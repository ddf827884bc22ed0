import { expect, test } from 'vitest'
import { killScanners } from '../../support/chains/killed-scanners.ts'
import { startPaying } from '../../support/chains/paying-world.ts'
import { tellPayouts } from '../../support/chains/payout-stories.ts'
import { startMortal } from '../../support/faults/mortal.ts'
import { expectVerified, type Transaction, waitForTransaction } from '../../support/money/transactions.ts'
import { simulatedBank } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Workers that die between any two steps of a payout: the receiver gets exactly one transfer. */
const settings = { SVC_LEASE_MS: '3000' }
const world = await startPaying({ settings })
const { api, chains } = world
const { pay, expectPaidOnce, relaysOf } = await tellPayouts(world, 'BASE')

/** In the order of a payout. */
const points = [
  'payouts started',
  'transfers signed',
  'payouts committed',
  'nonces allocated',
  'relays signed',
  'relays sent',
  'payout sent',
  'nonces settled',
  'confirmed payout about to be committed',
]

const all = { ...simulatedBank({}), SVC_SANDBOX_PAYOUT_DELAY: '0', ...chains.settings, ...settings }

test('a worker is killed at each step, the next one heals its payout and is killed at the next step', async () => {
  // The first payout gives the relayer its coins: only the process that started the chains can do that.
  await waitForTransaction(api, await pay(), { transactionStatus: 'COMPLETED' })
  await api.stop()
  const paid: (Transaction & { to: string })[] = []
  for (const point of points) {
    paid.push(await pay())
    const { died } = startMortal(api, { settings: all, dieAt: { point, times: 1 } })
    expect(await died, point).toBe('SIGKILL')
  }
  const worker = await api.app.startWorker()
  for (const each of paid) await waitForTransaction(api, each, { transactionStatus: 'COMPLETED' })
  for (const each of paid) await expectPaidOnce(each)
  for (const each of paid) {
    await eventually(async () => expect(await relaysOf(each)).toMatchObject([{ state: 'MINED', isSuccessful: true }]))
  }
  await worker.stop()
  await expectVerified(api)
})

test('workers are killed while they scan: every deposit is credited once', async () => {
  await api.stop()
  await killScanners({ ...world, control: chains.control, network: 'BASE', settings: all })
  await expectVerified(api)
})
