import type { Network } from '../../../catalog/currencies.ts'
import type { ChainControl, ChainStatus, ClockSetting, Gift, OwnerAct } from '../control.ts'
import type { Faults } from '../faults.ts'
import { nativeCurrency, tokensOn } from '../networks.ts'
import { RpcError } from '../rpc-error.ts'
import type { LocalChain } from './chain.ts'
import { faucetContract } from './engine.ts'
import { encodeAdminister, encodeCall, hashKey, operators, servedTopic, signCall } from './faucet.ts'

export type ControlledChain = { chain: LocalChain; faults: Faults; rpcUrl: string }

/** Creates the levers of the chains in this process. */
export function createControl(
  chains: Partial<Record<Network, ControlledChain>>,
  setClock: (clock: ClockSetting) => { hasJumped: boolean },
): ChainControl {
  const open = (network: Network): ControlledChain => {
    const each = chains[network]
    if (!each) throw new RpcError(`there is no local chain ${network}`)
    return each
  }
  const act = async (network: Network, change: (each: ControlledChain) => unknown) => {
    const each = open(network)
    await change(each)
    return statusOf(each)
  }
  const seen = new Set<string>()
  const queues = new Map<Network, Promise<unknown>>()
  // One gift after the other: the second of two equal requests sees the first one served.
  const inTurn = <Result>(network: Network, give: (chain: LocalChain) => Promise<Result>): Promise<Result> => {
    const done = (queues.get(network) ?? Promise.resolve()).then(() => give(open(network).chain))
    queues.set(
      network,
      done.catch(() => {}),
    )
    return done
  }
  return {
    status: async () => Object.values(chains).map(statusOf),
    mine: (network, { blocks, key }) => act(network, ({ chain }) => chain.mine(blocks, key)),
    reorg: (network, { key, ...options }) =>
      act(network, ({ chain }) => chain.reorganize(options, () => signStir(chain), key)),
    pause: (network) => act(network, ({ chain }) => chain.pause()),
    resume: (network) => act(network, ({ chain }) => chain.resume()),
    fees: (network, { multiplier }) => act(network, ({ chain }) => chain.setFees(multiplier)),
    fault: (network, { kind, calls, milliseconds, key }) =>
      act(network, ({ faults }) => {
        if (key !== undefined && seen.has(key)) return
        if (key !== undefined) seen.add(key)
        if (milliseconds !== undefined) faults.slowMs = milliseconds
        faults.set(kind, calls)
      }),
    clearFaults: (network) => act(network, ({ faults }) => faults.clear()),
    faucet: async (network, gift) => ({
      ...(await inTurn(network, (chain) => serveOnce(chain, gift.key, (key) => giftCall(network, gift, key)))),
      position: gift.currency === nativeCurrency ? null : gift.from === undefined ? 1 : 2,
    }),
    administer: async (network, request) => ({
      ...(await inTurn(network, (chain) => serveOnce(chain, request.key, (key) => ownerCall(network, request, key)))),
      position: null,
    }),
    setClock: async (clock) => {
      const { hasJumped } = setClock(clock)
      if (!hasJumped) return
      for (const { chain } of Object.values(chains)) chain.followClock()
    },
  }
}

function statusOf({ chain, faults, rpcUrl }: ControlledChain): ChainStatus {
  const { network, head, finalized, finalityLag, isPaused, pool } = chain
  return { network, rpcUrl, head, finalized, finalityLag, isPaused, pending: pool.list().length, faults: faults.list() }
}

type FaucetCall = { data: string; value?: bigint }

function giftCall(network: Network, { address, currency, amount, from }: Gift, key: string): FaucetCall {
  const value = BigInt(amount)
  if (currency === nativeCurrency) return { data: encodeCall('giveNative(bytes32,address)', key, address), value }
  const token = contractOf(network, currency)
  if (from === undefined) {
    return { data: encodeCall('give(bytes32,address,address,uint256)', key, token, address, value) }
  }
  const signature = 'giveFrom(bytes32,address,address,address,uint256)'
  return { data: encodeCall(signature, key, token, from, address, value) }
}

function ownerCall(network: Network, request: OwnerAct, key: string): FaucetCall {
  const token = contractOf(network, request.currency)
  switch (request.act) {
    case 'blacklist':
    case 'unBlacklist':
      return { data: encodeAdminister(key, token, encodeCall(`${request.act}(address)`, request.account)) }
    case 'burn': {
      const data = encodeCall('burn(address,uint256)', request.account, BigInt(request.amount))
      return { data: encodeAdminister(key, token, data) }
    }
    default:
      return { data: encodeAdminister(key, token, encodeCall(`${request.act}()`)) }
  }
}

function contractOf(network: Network, currency: string): string {
  const token = tokensOn(network).find(({ label }) => label === currency)
  if (!token) throw new RpcError(`there is no ${currency} on ${network}`)
  return token.contract
}

/** Sends a call of the faucet's contract unless the chain says that the request was served, and waits for its block. */
async function serveOnce(chain: LocalChain, requestKey: string, toCall: (key: string) => FaucetCall) {
  const key = hashKey(requestKey)
  await chain.settled()
  const served = await findServed(chain, key)
  if (served !== undefined) return { transactionHash: served, isMined: !chain.pool.has(served), isRepeated: true }
  const call = toCall(key)
  const transactionHash = await chain.send(await signBy(chain, 'faucet', { to: faucetContract, ...call }))
  chain.gifts.set(key, transactionHash)
  if (!chain.isPaused) await chain.mined(transactionHash)
  const isMined = !chain.pool.has(transactionHash)
  const receipt = isMined ? await chain.engine<Receipt>('eth_getTransactionReceipt', transactionHash) : null
  if (receipt?.status === '0x0') throw new RpcError(`the faucet's transaction ${transactionHash} failed`)
  return { transactionHash, isMined, isRepeated: false }
}

type Receipt = { status: string } | null

/** Finds the transaction that served a request: in the chain, or still in the pool. */
async function findServed(chain: LocalChain, key: string): Promise<string | undefined> {
  const waiting = chain.gifts.get(key)
  if (waiting !== undefined && chain.pool.has(waiting)) return waiting
  const data = encodeCall('isServed(bytes32)', key)
  const isServed = BigInt(await chain.engine<string>('eth_call', { to: faucetContract, data }, 'latest')) === 1n
  if (!isServed) return undefined
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: faucetContract, topics: [servedTopic, key] }
  const [log] = await chain.engine<{ transactionHash: string }[]>('eth_getLogs', filter)
  return log?.transactionHash
}

/** Signs a transfer of nothing, whose log moves the logs behind it in their block. */
function signStir(chain: LocalChain): Promise<string> {
  const [token] = tokensOn(chain.network)
  const to = token?.contract ?? faucetContract
  const data = encodeCall('transfer(address,uint256)', '0x000000000000000000000000000000000000dead', 0n)
  return signBy(chain, 'stirrer', { to, data })
}

async function signBy(chain: LocalChain, name: keyof typeof operators, call: { to: string } & FaucetCall) {
  const operator = operators[name]
  const nonce = await chain.pool.nextNonce(operator.address)
  return signCall(operator, { chainId: chain.chainId, nonce, maxFeePerGas: 10n ** 18n, ...call })
}
