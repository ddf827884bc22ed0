import { parseArgs } from 'node:util'
import { evmNetworks } from '../src/catalog/chain-ids.ts'
import { makeEvmAddress, makeSolanaAddress } from '../test/support/money/wallet-addresses.ts'
import { startPace } from './support/block-pace.ts'
import { median } from './support/database.ts'
import { openPayer, startPayingService } from './support/paying-service.ts'
import { openPlainEvmClient } from './support/plain-evm-client.ts'
import { openPlainSolanaClient } from './support/plain-solana-client.ts'

/**
 * Compares payouts on a local chain, from committed obligations to finality in the database, with a plain client that
 * broadcasts as many transfers, signed in advance, to the same chain and waits until all are final. Every round runs
 * both sides, so that the ratio holds on a shared machine.
 *
 * The rounds run twice. First the chain makes a block as soon as a transaction waits, so that nothing but the two sides
 * limits the rate: this shows what a payout costs. Then it makes blocks at the pace of the real network, for which the
 * limit counts (decision 0091).
 */
const { values } = parseArgs({
  options: {
    network: { type: 'string', default: 'BASE' },
    payouts: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    'paced-rounds': { type: 'string', default: '5' },
  },
})
const [payouts, rounds, pacedRounds] = [Number(values.payouts), Number(values.rounds), Number(values['paced-rounds'])]
const network = [...evmNetworks, 'SOLANA' as const].find((name) => name === values.network)
if (!network) throw new Error(`there is no network ${values.network}`)
const minimum = 0.5

const service = await startPayingService(network)
try {
  const outside = network === 'SOLANA' ? makeSolanaAddress() : makeEvmAddress()
  const payer = await openPayer(service, network, outside)
  await payer.waitForTokens()
  const { rpcUrl, chains } = service
  const plain =
    network === 'SOLANA'
      ? await openPlainSolanaClient(rpcUrl, chains.control)
      : await openPlainEvmClient(network, rpcUrl, chains.control)
  const measure = async () => {
    const reference = payouts / (await plain.transferAll(outside, payouts))
    await payer.oweMany(payouts)
    const ours = payouts / (await payer.payAll(payouts))
    return { reference, ours }
  }
  const runRounds = async (count: number, how: string): Promise<number> => {
    const ratios: number[] = []
    for (let round = 1; round <= count; round += 1) {
      const { reference, ours } = await measure()
      ratios.push(ours / reference)
      const shown = `plain client ${reference.toFixed(0)}/s; Svc ${ours.toFixed(0)}/s`
      console.log(`${network}, ${how}, ${payouts} payouts: ${shown}; ratio ${(ours / reference).toFixed(2)}`)
    }
    return median(ratios)
  }
  await measure()
  const saturated = await runRounds(rounds, 'blocks at once')
  console.log(`median ratio with blocks at once ${saturated.toFixed(2)}`)
  const pace = await startPace(chains.control, network)
  const paced = await runRounds(pacedRounds, pace.description)
  await pace.stop()
  console.log(`median ratio with ${pace.description} ${paced.toFixed(2)} (at least ${minimum})`)
  const { ok, checks } = await service.app.verify()
  console.log(ok ? 'every invariant holds' : checks.filter((check) => !check.ok))
  if (!ok || paced < minimum) process.exitCode = 1
} finally {
  await service.stop()
}
