import { afterAll, expect, test } from 'vitest'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { startScanned } from '../../support/chains/scanned-world.ts'
import { availableIn, expectVerified } from '../../support/money/transactions.ts'
import { form } from '../../support/runner/form.ts'

/** Reorganizations of every depth that is not final: transfers that vanish, move to a later block, or stay. */
const finalityBlocks = 65
const world = await startScanned({ finalityBlocks })
const { api, chains, rows, seenAt, caughtUp } = world
const network = 'BASE'
const { control } = chains

const every = Array.from({ length: 64 }, (_, at) => at + 1)
const some = [1, 2, 3, 4, 5, 7, 8, 11, 15, 16, 17, 21, 27, 31, 32, 33, 47, 48, 63, 64]
const depths = form === 'short' ? some : every

const [unlucky, lucky] = await Promise.all([openOutsideWallet(chains, network), openOutsideWallet(chains, network)])
const { wallet, address } = await world.makeWallet()
const kept: { hash: string; units: bigint }[] = []
const dropped: string[] = []
await control.pause(network)
afterAll(() => expectVerified(api))

const stateOf = async (hash: string) => (await seenAt(address)).find(({ externalId }) => externalId === `${hash}:0`)

test.each(depths.map((depth) => [depth, depth % 2 === 0 ? 'last' : 'first'] as const))(
  'depth %i: one transfer vanishes, others are in the %s block of the new branch',
  async (depth, place) => {
    const units = BigInt(1_000_000 + depth)
    const gone = await unlucky.transfer(address, units)
    const stays = [await lucky.transfer(address, units), await lucky.transfer(address, units)]
    await control.mine(network, { blocks: depth })
    await caughtUp(network)
    for (const hash of [gone, ...stays]) expect(await stateOf(hash)).toMatchObject({ state: 'SEEN' })
    const before = (await stateOf(stays[0] ?? ''))?.blockNumber
    await control.reorg(network, { depth, drop: [gone], place })
    await caughtUp(network)
    expect(await stateOf(gone)).toMatchObject({ state: 'ORPHANED', depositStatus: null })
    for (const hash of stays) {
      const { blockNumber } = await lucky.receipt(hash)
      expect(await stateOf(hash)).toMatchObject({ state: 'SEEN', blockNumber: String(blockNumber) })
      kept.push({ hash, units })
    }
    if (place === 'last') expect((await stateOf(stays[0] ?? ''))?.blockNumber).not.toBe(before)
    dropped.push(gone)
  },
)

test('afterwards each transfer that the chain has is credited once, and no other', async () => {
  await control.mine(network, { blocks: finalityBlocks })
  await caughtUp(network)
  const sum = kept.reduce((total, { units }) => total + units, 0n)
  expect(await lucky.balanceOf(address)).toBe(sum)
  await world.until(async () => {
    const deposits = await rows<{ id: string; amount: string }>(
      `select external_id as id, amount::text as amount from svc.deposits where address = $1 and status = 'CREDITED'`,
      [address],
    )
    const wanted = kept.map(({ hash, units }) => ({ id: `${hash}:0`, amount: String(units) }))
    expect(new Set(deposits)).toEqual(new Set(wanted))
    expect(deposits).toHaveLength(wanted.length)
  })
  const whole = `${sum / 1_000_000n}.${String(sum % 1_000_000n).padStart(6, '0')}`
  expect(await availableIn(api, wallet, 'USDC', network)).toBe(whole)
  expect(dropped).toHaveLength(depths.length)
})
