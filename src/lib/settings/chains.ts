import type { settingsOf } from '../settings.ts'

/**
 * The rule by which a block counts as final: the tag of the node, or a number of blocks on top of it. A number is for
 * nodes without tags; it is a bet, not a proof.
 */
export type Finality = 'finalized' | 'safe' | { blocks: number }

/**
 * The nodes of one network, in order of preference, its rule of finality, and the coins below which its relayer needs
 * more, in thousandths. A network without nodes waits.
 */
export type NetworkSettings = { rpcUrls: readonly string[]; finality: Finality; lowCoins: number }

export type ChainSettings<Network extends string> = {
  /** The number of nodes that must give the same answer. */
  quorum: number
  /** The time-out of one request to one node. */
  timeoutMs: number
  /** The balance below which a treasury needs more, in whole units of each token; 0 tells nothing. */
  lowTreasury: number
  networks: Record<Network, NetworkSettings>
}

type PortSetting = { number: number; isExplicit: boolean }

/** The sandbox's own chains: ports, blocks between the head and the newest final one, the time of a slot of SOLANA. */
export type LocalChainsConfig = {
  ports: Record<'evm' | 'solana', PortSetting>
  finalityBlocks: number
  slotMs: number
}

const noPort: PortSetting = { number: 0, isExplicit: false }
export const noLocalChains: LocalChainsConfig = { ports: { evm: noPort, solana: noPort }, finalityBlocks: 0, slotMs: 0 }

/** Reads where and how the sandbox's own chains run. */
export function readLocalChains({ integer, text }: ReturnType<typeof settingsOf>): LocalChainsConfig {
  const port = (name: string, usual: number): PortSetting => ({
    number: integer(name, usual, 0, 65_535),
    isExplicit: text(name) !== undefined,
  })
  return {
    ports: { evm: port('SVC_SANDBOX_CHAINS_PORT', 8_545), solana: port('SVC_SANDBOX_SOLANA_PORT', 8_899) },
    finalityBlocks: integer('SVC_SANDBOX_FINALITY_BLOCKS', 2, 0, 1_000),
    slotMs: integer('SVC_SANDBOX_SLOT_MS', 200, 10, 60_000),
  }
}

const exampleUrls = 'https://rpc.example.com/key,https://rpc.example.org'

/** Reads the nodes of each network. An address may hold a key, so it is never logged. */
export function readChainSettings<Network extends string>(
  settings: ReturnType<typeof settingsOf>,
  facts: Readonly<Record<Network, { lowCoins: number; isAlwaysFinalized?: true }>>,
): ChainSettings<Network> {
  const { integer, complain } = settings
  const quorum = integer('SVC_RPC_QUORUM', 1, 1, 9)
  const timeoutMs = integer('SVC_RPC_TIMEOUT_MS', 5_000, 100, 60_000)
  const lowTreasury = integer('SVC_TREASURY_LOW', 1_000, 0, 1_000_000_000_000)
  const readNetwork = (name: Network): NetworkSettings => {
    const setting = `SVC_${name}_RPC_URLS`
    const rpcUrls = settings.list(
      setting,
      [],
      isNodeAddress,
      exampleUrls,
      'addresses that start with https:// or http://',
    )
    if (new Set(rpcUrls).size < rpcUrls.length) complain(setting, 'must name each address once', exampleUrls)
    if (rpcUrls.length > 0 && rpcUrls.length < quorum) {
      complain(setting, 'must have at least SVC_RPC_QUORUM addresses', exampleUrls)
    }
    const lowCoins = integer(`SVC_${name}_RELAYER_LOW`, facts[name].lowCoins, 0, 1_000_000_000)
    const { isAlwaysFinalized } = facts[name]
    const finality = isAlwaysFinalized ? 'finalized' : readFinality(settings, `SVC_${name}_FINALITY`)
    return { rpcUrls, finality, lowCoins }
  }
  const networks = Object.fromEntries(
    (Object.keys(facts) as Network[]).map((name) => [name, readNetwork(name)]),
  ) as Record<Network, NetworkSettings>
  return { quorum, timeoutMs, lowTreasury, networks }
}

function readFinality({ text, complain }: ReturnType<typeof settingsOf>, name: string): Finality {
  const given = text(name) ?? 'finalized'
  if (given === 'finalized' || given === 'safe') return given
  if (/^[1-9]\d{0,5}$/.test(given)) return { blocks: Number(given) }
  complain(name, 'must be finalized, safe or a number of blocks', 'finalized')
  return 'finalized'
}

function isNodeAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
}
