import { expect, test } from 'vitest'
import { measureSolanaFunds } from '../../../src/chains/solana/payouts/funds.ts'
import { solanaTokens } from '../../../src/wiring/chains/services.ts'
import { startLocalSolana } from '../../support/chains/local-chains.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { startApi } from '../../support/runner/api.ts'
import { readMetric } from '../../support/runner/metrics.ts'

const chains = await startLocalSolana()
const api = await startApi({}, { database: await makeDatabaseWithAddresses(), chains })
const { app } = api

test('a treasury and a relayer with few funds are an alarm until they have more', async () => {
  const give = async (role: 'RELAYER' | 'TREASURY', currency: string, amount: string) => {
    const address = (await app.custody.findServiceAddress('SOLANA', role)) ?? ''
    await chains.control.faucet('SOLANA', { key: role, address, currency, amount })
  }
  await give('RELAYER', 'NATIVE', '1000000000000')
  await give('TREASURY', 'USDC', '1000000')
  await chains.control.mine('SOLANA', { blocks: 40 })
  const { solana: node } = app.chains
  if (!node) throw new Error('there are no nodes')
  const told: string[] = []
  const measure = (lowCoins: number, lowTreasury: number) =>
    measureSolanaFunds({
      node,
      database: app.database,
      tokens: solanaTokens('sandbox'),
      custody: app.custody,
      isProduction: false,
      least: { lowCoins, lowTreasury },
      onLow: ({ asset }) => told.push(asset),
    })
  const alarms = async () => [
    await readMetric(api, 'svc_relayer_coins_low'),
    await readMetric(api, 'svc_treasury_low'),
    ((await api.get('/readyz')).body as { concerns: string[] }).concerns.filter((name) => name.endsWith('_LOW')),
  ]
  await measure(1, 0)
  expect(await alarms()).toEqual(['0', '0', []])
  // The treasury has less than two tokens of one kind, and none of the other.
  for (let times = 0; times < 2; times += 1) await measure(1_000_000_000, 2)
  expect(await alarms()).toEqual(['1', '1', ['RELAYER_COINS_LOW', 'TREASURY_LOW']])
  expect(told.sort()).toEqual(['SOL/SOLANA', 'USDC/SOLANA'])
  await measure(1, 0)
  expect(await alarms()).toEqual(['0', '0', []])
})
