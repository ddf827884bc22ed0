import { expect, test } from 'vitest'
import { createCustodyService } from '../../../src/custody/service.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { childrenOf, childWith, makeDataFolder, svc, urlOf } from '../../support/runner/process.ts'

const kills = 3

test('signers killed while they fill the pool leave no gap and no duplicate address, and the pool fills up', async () => {
  const database = await makeDatabase()
  const settings = {
    DATABASE_URL: urlOf(database.owner),
    SVC_DATA_DIR: await makeDataFolder(),
    SVC_ADDRESS_POOL_SIZE: '800',
  }
  const { countFree } = createCustodyService({ database: openForTest(database.app) })
  const total = async () => Object.values(await countFree()).reduce((sum, free) => sum + free, 0)
  const startSigner = () => svc(['signer'], settings)
  for (let at = 0; at < kills; at++) {
    const before = await total()
    const signers = [startSigner(), startSigner()]
    await expect.poll(total, { interval: 5 }).toBeGreaterThan(before)
    for (const signer of signers) {
      for (const child of childrenOf(signer.child.pid ?? 0)) process.kill(child, 'SIGKILL')
    }
    await Promise.all(signers.map((signer) => signer.exited))
  }
  startSigner()
  await expect.poll(countFree).toEqual({ EVM: 800, SOLANA: 800 })
  const rows = await openForTest({ connection: database.owner }).query({
    text: `select kind, count(distinct address)::int as addresses, max(address_index) as last
             from svc.wallet_addresses group by kind order by kind`,
  })
  expect(rows).toEqual([
    { kind: 'EVM', addresses: 800, last: 799 },
    { kind: 'SOLANA', addresses: 800, last: 799 },
  ])
  const check = svc(['custody', 'check'], settings)
  expect(await check.exited, check.output()).toBe(0)
}, 300_000)

test('svc dev restarts a dead signer, and stops the signer when it ends', async () => {
  const database = await makeDatabase()
  const dev = svc(['dev'], { DATABASE_URL: urlOf(database.owner), SVC_DATA_DIR: await makeDataFolder(), PORT: '0' })
  await dev.prints(/keeps all data/)
  const [main = 0] = childrenOf(dev.child.pid ?? 0)
  const signer = childWith(main, 'signer')
  process.kill(signer, 'SIGKILL')
  await dev.prints(/the signer is running[\s\S]*the signer ended and is restarted[\s\S]*the signer is running/)
  const again = childWith(main, 'signer')
  expect(again).not.toBe(signer)
  // A killed svc dev cannot stop the signer; the closed channel does.
  process.kill(main, 'SIGKILL')
  await expect.poll(() => isAlive(again)).toBe(false)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
