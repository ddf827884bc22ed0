import { parseArgs } from 'node:util'
import { evmNetworks } from '../src/catalog/chain-ids.ts'
import { makeEvmAddress, makeSolanaAddress } from '../test/support/money/wallet-addresses.ts'
import { median } from './support/database.ts'
import { openPayer, startPayingService } from './support/paying-service.ts'
import { openPlainEvmClient } from './support/plain-evm-client.ts'
import { openPlainSolanaClient } from './support/plain-solana-client.ts'

/**
 * Compares payouts on a local chain, from committed obligations to finality in the database, with a plain client that
 * broadcasts as many transfers, signed in advance, to the same chain and waits until all are final. Every round runs
 * both sides, so that the ratio holds on a shared machine.
 */
const { values } = parseArgs({
  options: {
    network: { type: 'string', default: 'BASE' },
    payouts: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
  },
})
const [payouts, rounds] = [Number(values.payouts), Number(values.rounds)]
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
  await measure()
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const { reference, ours } = await measure()
    ratios.push(ours / reference)
    const shown = `plain client ${reference.toFixed(0)}/s; Svc ${ours.toFixed(0)}/s`
    console.log(`${network}, round ${round}, ${payouts} payouts: ${shown}; ratio ${(ours / reference).toFixed(2)}`)
  }
  const middle = median(ratios)
  console.log(`median ratio ${middle.toFixed(2)} (at least ${minimum})`)
  const { ok, checks } = await service.app.verify()
  console.log(ok ? 'every invariant holds' : checks.filter((check) => !check.ok))
  if (!ok || middle < minimum) process.exitCode = 1
} finally {
  await service.stop()
}
