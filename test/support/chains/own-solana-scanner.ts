import { expect } from 'vitest'
import { createSolanaNode } from '../../../src/adapters/chains/solana/solana-node.ts'
import { createOutboundHttp } from '../../../src/adapters/outbound-http.ts'
import { genesisHashes } from '../../../src/catalog/chain-ids.ts'
import { createSolanaScanner, type SolanaScannerDeps } from '../../../src/chains/solana/scanner/service.ts'
import { solanaTokens } from '../../../src/wiring/chains/services.ts'
import { eventually } from '../runner/eventually.ts'
import type { SolanaWorld } from './solana-world.ts'

type Changes = Partial<SolanaScannerDeps> & { rpcUrls: string[]; quorum?: number }

const ignore = () => {}

/** A scanner of Solana whose turns the test takes itself. It takes the network over from the service of the world. */
export async function takeOver({ api }: SolanaWorld, { rpcUrls, quorum = 1, ...changes }: Changes) {
  const { database, custody, deposits } = api.app
  const options = { genesisHash: genesisHashes.sandbox, rpcUrls, quorum, timeoutMs: 5_000, isRealTime: false }
  const shared = { database, custody, deposits, leaseMs: 60_000, frozenMs: 60_000, pauses: { first: 1, longest: 1 } }
  const deps: SolanaScannerDeps = { ...shared, onProblem: ignore, onPoint: ignore, ...changes }
  const scanner = createSolanaScanner(deps, {
    node: createSolanaNode(createOutboundHttp(), options),
    tokens: solanaTokens('sandbox'),
  })
  await eventually(async () => {
    await database.query({
      text: `update svc.chain_scans set lease_until = null, fence = fence + 1 where network = 'SOLANA'`,
    })
    expect(await scanner.turn()).not.toBe('NOT_HELD')
  })
  return {
    ...scanner,
    /** Takes turns until a state of the world is reached. */
    until: <Result>(check: () => Promise<Result> | Result): Promise<Result> =>
      eventually(async () => {
        await scanner.turn()
        return check()
      }),
  }
}
