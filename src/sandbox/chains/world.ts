import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type EvmNetwork, evmNetworks } from '../../catalog/chain-ids.ts'
import { LocalChain } from './chain.ts'
import { type ChainControl, type ClockSetting, type ControlledChain, createControl } from './control.ts'
import { createEngines } from './engine.ts'
import { Faults } from './faults.ts'
import { noJournal, openJournal } from './journal.ts'
import { createNode } from './node.ts'
import { createFrontServer, type NodeFront } from './server.ts'

export type ChainsOptions = {
  /** The port on 127.0.0.1; the next free one if `mayMove`; 0 for any. */
  port: number
  mayMove: boolean
  /** The folder of the journals; without one the chains begin anew with each process. */
  folder: string | undefined
  finalityLag: number
  clock: ClockSetting
  /** Called when a chain may differ from its journal: the process must end. */
  onLost(error: unknown): void
}

export type LocalChains = {
  control: ChainControl
  rpcUrls: Record<EvmNetwork, string>
  close(): Promise<void>
}

/** Opens all EVM networks in this process and serves them as JSON-RPC nodes. */
export async function openLocalChains(options: ChainsOptions): Promise<LocalChains> {
  let { clock } = options
  const now = () => Math.floor(('frozenAtMs' in clock ? clock.frozenAtMs : Date.now() + clock.offsetMs) / 1_000)
  const openEngine = await createEngines()
  const opened = await Promise.all(
    evmNetworks.map(async (network): Promise<[EvmNetwork, ControlledChain]> => {
      const { folder, finalityLag, onLost } = options
      const file = folder && path.join(folder, `${network.toLowerCase()}.journal`)
      const journal = file ? await openJournal(file) : noJournal
      const engine = await openEngine(network)
      const chain = new LocalChain({ network, engine, journal, now, finalityLag, onLost })
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

const portsToTry = 50

async function listen(server: ReturnType<typeof createFrontServer>, { port, mayMove }: ChainsOptions): Promise<number> {
  for (let number = port; ; number++) {
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      server.once('error', resolve)
      server.listen(number, '127.0.0.1', () => {
        server.off('error', resolve)
        resolve(undefined)
      })
    })
    if (!error) return (server.address() as AddressInfo).port
    if (error.code !== 'EADDRINUSE' || !mayMove || number >= port + portsToTry) throw error
  }
}
