import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { TokenAsset } from '../../catalog/currencies.ts'
import { checksumEvmAddress } from '../../lib/addresses/evm-address.ts'
import type { NewSighting } from '../../transactions/deposits/sightings/sighting.ts'
import type { BlockRef, TokenTransfer } from '../node.ts'

/** A block as the scanner remembers it. */
export type BlockId = Pick<BlockRef, 'number' | 'hash'>

/** The state of a network's scanner. */
export type Scan = {
  /** The last block whose transfers are recorded. */
  cursor: BlockId
  /** The highest block of ours that the network has called final. */
  final: BlockId
  isHalted: boolean
  /** An operator has ended a halt: the first comparison with the nodes decides whether it is over. */
  isResuming: boolean
  /** An operator has decided that a conflict with the record is rolled back. */
  mayAdopt: boolean
}

/** A block with the transfers in it. */
export type ReadBlock = BlockRef & { transfers: readonly TokenTransfer[] }

/**
 * Reasons why a transfer to one of our addresses is no deposit. FOREIGN_TOKEN: another contract, such as one that copies
 * the name of a token we offer. NO_AMOUNT: a collectible, or an event that is not laid out as EIP-20 demands.
 * SERVICE_ADDRESS: our treasury or relayer received it. On Solana alone: NATIVE_COINS, and OTHER_ACCOUNT for tokens in an
 * account of our owner that is not the one that follows from owner and mint.
 */
export type OddityKind =
  | 'FOREIGN_TOKEN'
  | 'ZERO_VALUE'
  | 'NO_AMOUNT'
  | 'IMPOSSIBLE_AMOUNT'
  | 'SERVICE_ADDRESS'
  | 'NATIVE_COINS'
  | 'OTHER_ACCOUNT'

export type Oddity = Omit<TokenTransfer, 'value'> & {
  kind: OddityKind
  value: bigint | null
  blockNumber: bigint
  observedAt: Date
}

/** Why a network is not scanned now. It ends by itself, unlike a halt. */
export type ScanProblem = 'UNAVAILABLE' | 'DISAGREEMENT' | 'INCOMPLETE' | 'WRONG_CHAIN' | 'WRONG_TOKEN' | 'REFUSED'

/** A contract that is not the token that we expect at its address. */
export class WrongToken extends Error {
  constructor(contract: string, problem: string) {
    super(`the contract ${contract} ${problem}`)
    this.name = 'WrongToken'
  }
}

/** The kinds of addresses that receive for us: customers' wallets and the pool, or treasury and relayer. */
export type ReceiverKind = 'WALLET' | 'SERVICE'

// The ledger has 38 digits. No token that we offer can move more.
const mostUnits = 10n ** 38n

/** The facts that tell a deposit from an oddity. */
export type TransferFacts = {
  network: EvmNetwork
  /** The tokens that we credit, by contract in lower case. */
  contracts: ReadonlyMap<string, TokenAsset>
  /** Our addresses among the receivers, with checksum. */
  receivers: ReadonlyMap<string, ReceiverKind>
}

/** The name of a transfer on its chain: the transaction, and the place among its events, which no other block changes. */
export function externalIdOf({
  transactionHash,
  position,
}: Pick<TokenTransfer, 'transactionHash' | 'position'>): string {
  return `${transactionHash}:${position}`
}

/** Tells what a transfer is to us; undefined when it is not for one of our addresses. */
export function judgeTransfer(
  { network, contracts, receivers }: TransferFacts,
  block: BlockRef,
  transfer: TokenTransfer,
  state: 'SEEN' | 'FINAL',
): { sighting: NewSighting } | { oddity: Oddity } | undefined {
  const { contract, value } = transfer
  const address = checksumEvmAddress(transfer.to)
  const receiver = receivers.get(address)
  if (receiver === undefined) return undefined
  const asset = contracts.get(contract)
  const observedAt = new Date(Number(block.timestamp) * 1_000)
  const odd = (kind: OddityKind) => ({
    oddity: { ...transfer, kind, value: value ?? null, blockNumber: block.number, observedAt },
  })
  if (value === undefined) return odd('NO_AMOUNT')
  if (asset === undefined) return odd('FOREIGN_TOKEN')
  if (value === 0n) return odd('ZERO_VALUE')
  if (value >= mostUnits) return odd('IMPOSSIBLE_AMOUNT')
  if (receiver === 'SERVICE') return odd('SERVICE_ADDRESS')
  const sighting: NewSighting = {
    method: network,
    book: '',
    externalId: externalIdOf(transfer),
    asset,
    amount: String(value),
    message: null,
    address,
    virtualAccountId: null,
    senderAccountId: null,
    detailsHash: null,
    fromAddress: checksumEvmAddress(transfer.from),
    senderMatches: [],
    sealedSender: null,
    state,
    block: { number: block.number, hash: block.hash },
    observedAt,
  }
  return { sighting }
}
