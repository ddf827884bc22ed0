import path from 'node:path'
import { type EvmNetwork, evmNetworks } from '../../../catalog/chain-ids.ts'
import type { LocalChains, LocalChainsOptions } from '../control.ts'
import { Faults } from '../faults.ts'
import { noJournal, openJournal } from '../journal.ts'
import { createFrontServer, listen, type NodeFront } from '../server.ts'
import { LocalChain } from './chain.ts'
import { type ControlledChain, createControl } from './control.ts'
import { createEngines } from './engine.ts'
import type { JournalEntry } from './journal-entry.ts'
import { createNode } from './node.ts'

/** Opens all EVM networks in this process and serves them as JSON-RPC nodes. */
export async function openEvmChains(options: LocalChainsOptions): Promise<LocalChains> {
  let { clock } = options
  const now = () => Math.floor(('frozenAtMs' in clock ? clock.frozenAtMs : Date.now() + clock.offsetMs) / 1_000)
  const openEngine = await createEngines()
  const opened = await Promise.all(
    evmNetworks.map(async (network): Promise<[EvmNetwork, ControlledChain]> => {
      const { folder, finalityLag, onLost } = options
      const onNews = () => options.onNews?.(network)
      const file = folder && path.join(folder, `${network.toLowerCase()}.journal`)
      const journal = file ? await openJournal<JournalEntry>(file) : noJournal
      const engine = await openEngine(network)
      const chain = new LocalChain({ network, engine, journal, now, finalityLag, onLost, onNews })
      await chain.open()
      return [network, { chain, faults: new Faults(), rpcUrl: '' }]
    }),
  )
  const chains = Object.fromEntries(opened) as Record<EvmNetwork, ControlledChain>
  const fronts = Object.fromEntries(
    opened.map(([network, { chain, faults }]) => [network, { call: createNode(chain, faults), faults }]),
  ) as Record<EvmNetwork, NodeFront>
  const server = createFrontServer(fronts)
  const port = await listen(server, options)
  const rpcUrls = {} as Record<EvmNetwork, string>
  for (const [network, each] of opened) {
    each.rpcUrl = `http://127.0.0.1:${port}/${network.toLowerCase()}`
    rpcUrls[network] = each.rpcUrl
    each.chain.start()
  }
  const control = createControl(chains, (next) => {
    const before = now()
    clock = next
    return { hasJumped: Math.abs(now() - before) > 1 }
  })
  return {
    control,
    rpcUrls,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await Promise.all(opened.map(([, { chain }]) => chain.close()))
    },
  }
}
