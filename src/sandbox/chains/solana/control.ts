import { randomInt } from 'node:crypto'
import type { Network } from '../../../catalog/currencies.ts'
import type { ChainControl, ChainStatus, Gift, OwnerAct } from '../control.ts'
import type { Faults } from '../faults.ts'
import { nativeCurrency, tokensOn } from '../networks.ts'
import { RpcError } from '../rpc-error.ts'
import type { SolanaChain } from './chain.ts'
import {
  associatedAccount,
  burn,
  createAccount,
  encodeOwn,
  type Instruction,
  limitUnits,
  mintTo,
  setFrozen,
  transferChecked,
  transferCoins,
} from './instructions.ts'
import { decodeTransaction } from './transaction.ts'

export type ControlledSolana = { chain: SolanaChain; faults: Faults; rpcUrl: string }

const decimals = 6
const [leastUnits, mostUnits] = [400_000, 1_400_000]

/** Creates the levers of the chain in this process. */
export function createSolanaControl(controlled: ControlledSolana): ChainControl {
  const { chain, faults } = controlled
  const act = async (network: Network, change: () => unknown) => {
    if (network !== 'SOLANA') throw new RpcError(`there is no local chain ${network}`)
    await change()
    return statusOf(controlled)
  }
  const seen = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  // One gift after the other: the second of two equal requests sees the first one served.
  const inTurn = <Result>(give: () => Promise<Result>): Promise<Result> => {
    const done = last.then(give)
    last = done.catch(() => {})
    return done
  }
  return {
    status: async () => [await statusOf(controlled)],
    mine: (network, { blocks, key }) => act(network, () => chain.mine(blocks, key)),
    reorg: (network, { key, ...options }) => act(network, () => chain.fork(options, key)),
    pause: (network) => act(network, () => chain.pause()),
    resume: (network) => act(network, () => chain.resume()),
    fees: (network, { multiplier }) => act(network, () => chain.setFees(multiplier)),
    fault: (network, { kind, calls, milliseconds, key }) =>
      act(network, () => {
        if (key !== undefined && seen.has(key)) return
        if (key !== undefined) seen.add(key)
        if (milliseconds !== undefined) faults.slowMs = milliseconds
        faults.set(kind, calls)
      }),
    clearFaults: (network) => act(network, () => faults.clear()),
    faucet: async (_network, gift) => inTurn(() => serveOnce(chain, gift.key, () => giftOf(gift))),
    administer: async (_network, request) => inTurn(() => serveOnce(chain, request.key, () => ownerAct(request))),
    setClock: (clock) => chain.setClock(clock),
  }
}

async function statusOf({ chain, faults, rpcUrl }: ControlledSolana): Promise<ChainStatus> {
  await chain.settled()
  const { network, finalityLag, isPaused, pool, slots } = chain
  const number = chain.slotOf('processed')
  return {
    network,
    rpcUrl,
    head: { number, hash: slots.hash(number), time: slots.time(number) },
    finalized: chain.slotOf('finalized'),
    finalityLag,
    isPaused,
    pending: pool.size,
    faults: faults.list(),
  }
}

/**
 * The instructions of a gift, and the token account that receives it. A sender gets the tokens in a transaction of its own
 * before: in the other one its balance then falls, as that of any sender does.
 */
type Call = { before?: Instruction[]; instructions: Instruction[]; account: string | null }

function giftOf({ address, currency, amount, from }: Gift): Call {
  const value = BigInt(amount)
  if (value >= 2n ** 63n) throw new RpcError('the amount is more than an account can hold')
  if (currency === nativeCurrency) return { instructions: [transferCoins(address, value)], account: null }
  const mint = mintOf(currency)
  const account = associatedAccount(address, mint)
  if (from === undefined) return { instructions: [createAccount(address, mint), mintTo(mint, account, value)], account }
  const before = [createAccount(from, mint), mintTo(mint, associatedAccount(from, mint), value)]
  const instructions = [createAccount(address, mint), transferChecked({ from, mint, to: account }, value, decimals)]
  return { before, instructions, account }
}

function ownerAct(request: OwnerAct): Call {
  const mint = mintOf(request.currency)
  switch (request.act) {
    case 'blacklist':
    case 'unBlacklist': {
      const { account } = request
      const isFrozen = request.act === 'blacklist'
      return { instructions: [createAccount(account, mint), setFrozen(account, mint, isFrozen)], account: null }
    }
    case 'burn':
      return { instructions: [burn(request.account, mint, BigInt(request.amount))], account: null }
    default:
      throw new RpcError(`a token of SOLANA cannot ${request.act}`)
  }
}

function mintOf(currency: string): string {
  const token = tokensOn('SOLANA').find(({ label }) => label === currency)
  if (!token) throw new RpcError(`there is no ${currency} on SOLANA`)
  return token.contract
}

/** Sends a transaction of the operator unless the request was served, and waits until it is executed. */
async function serveOnce(chain: SolanaChain, key: string, toCall: () => Call) {
  await chain.settled()
  const { before, instructions, account } = toCall()
  const served = chain.findRequest(key)
  if (served !== undefined) return { ...receiptOf(chain, served, account), isRepeated: true }
  const beforeKey = `before ${key}`
  if (before && chain.findRequest(beforeKey) === undefined) await sendOwn(chain, before, beforeKey)
  const signature = await sendOwn(chain, instructions, key)
  return { ...receiptOf(chain, signature, account), isRepeated: false }
}

async function sendOwn(chain: SolanaChain, instructions: Instruction[], key: string): Promise<string> {
  const blockhash = chain.slots.hash(chain.slotOf('processed'))
  const raw = encodeOwn([limitUnits(randomInt(leastUnits, mostUnits)), ...instructions], blockhash)
  const transaction = decodeTransaction(raw)
  const [signature] = transaction.signatures as [string]
  chain.send(transaction, key)
  if (!chain.isPaused) await chain.mined(signature)
  const landed = chain.state.find(signature)
  if (landed?.err) throw new RpcError(`the faucet's transaction ${signature} failed: ${JSON.stringify(landed.err)}`)
  if (!landed && !chain.pool.has(signature)) throw new RpcError("the faucet's transaction was refused")
  return signature
}

/** The position of a transfer is the number of the receiving token account among the addresses of its transaction. */
function receiptOf(chain: SolanaChain, signature: string, account: string | null) {
  const landed = chain.state.find(signature)
  const waiting = chain.pool.list().find(({ transaction }) => transaction.signatures[0] === signature)
  const keys = landed ? decodeTransaction(Buffer.from(landed.raw, 'base64')).keys : (waiting?.transaction.keys ?? [])
  const position = account === null ? null : keys.indexOf(account)
  return { transactionHash: signature, position, isMined: landed !== undefined }
}
