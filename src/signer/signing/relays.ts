import { chainIds, type EvmNetwork } from '../../catalog/chain-ids.ts'
import type { Environment } from '../../catalog/currencies.ts'
import { gasFacts, gwei, milliCoin } from '../../catalog/gas.ts'
import type { Tx } from '../../db/database.ts'
import { writeTransfer } from '../../lib/evm/authorization.ts'
import { transactionDigest, writeSigned } from '../../lib/evm/fee-market-transaction.ts'
import { signDigest } from '../../lib/evm/signature.ts'
import type { SigningSettings } from '../../lib/settings/signing.ts'
import type { EvmKeys } from './keys.ts'
import { hasLimits } from './limits.ts'
import * as store from './relay-store.ts'

export type RelayDeps = { environment: Environment; gas: SigningSettings<EvmNetwork>['gas']; keys: EvmKeys }

/**
 * Decides about requests of relayers. A relayer only ever executes an authorization that the signer has signed and that
 * is committed, or fills a nonce with a transfer of nothing to itself; within the bounds of gas.
 */
export async function signRelays(deps: RelayDeps, tx: Tx, limit: number): Promise<store.RelayDecision[]> {
  const requests = await store.lockRelayRequests(tx, limit)
  if (requests.length === 0) return []
  const isBounded = Object.values(deps.gas).some(hasLimits)
  const spent = isBounded ? await store.sumRelayed(tx) : new Map<string, { hour: bigint; day: bigint }>()
  const decisions: store.RelayDecision[] = []
  for (const request of requests) {
    const { network, relayer, nonce, version } = request
    const decided = await sign(deps, request, spent)
    const signed = typeof decided === 'string' ? { problem: decided, hash: null, raw: null } : decided
    decisions.push({ network, relayer, nonce, version, ...signed })
  }
  await store.writeRelayDecisions(tx, decisions)
  return decisions
}

type Signed = { problem: null; hash: string; raw: Buffer }

async function sign(
  { environment, gas, keys }: RelayDeps,
  request: store.RelayRequest,
  spent: Map<string, { hour: bigint; day: bigint }>,
): Promise<Signed | string> {
  const { network, relayer, authorization, isForTransfer } = request
  const [gasLimit, maxFee, tip] = [BigInt(request.gasLimit), BigInt(request.maxFee), BigInt(request.tip)]
  const bounds = gas[network]
  const facts = gasFacts[network]
  if (gasLimit > (isForTransfer ? facts.transferGas : facts.fillGas)) return 'its gas limit is too high'
  if (maxFee > BigInt(bounds.maxFeeGwei) * gwei) return 'MAX_FEE'
  const chainId = chainIds[environment][network]
  if (isForTransfer) {
    if (!authorization) return 'its authorization is not signed'
    if (!authorization.isCommitted) return 'its authorization is not committed'
    if (authorization.chainId !== String(chainId)) return 'its authorization is for another network'
  }
  const key = await keys.ofService('RELAYER', relayer)
  if (!key) return 'no seed has the address of this relayer'
  const { hour, day } = spent.get(network) ?? { hour: 0n, day: 0n }
  const cost = gasLimit * maxFee
  if (bounds.perHour > 0 && hour + cost > BigInt(bounds.perHour) * milliCoin) return 'GAS_PER_HOUR'
  if (bounds.perDay > 0 && day + cost > BigInt(bounds.perDay) * milliCoin) return 'GAS_PER_DAY'
  spent.set(network, { hour: hour + cost, day: day + cost })
  const transaction = {
    chainId,
    nonce: BigInt(request.nonce),
    maxPriorityFeePerGas: tip,
    maxFeePerGas: maxFee,
    gasLimit,
    to: authorization?.contract ?? relayer,
    value: 0n,
    data: authorization ? writeCall(authorization) : Buffer.alloc(0),
  }
  const { raw, hash } = writeSigned(transaction, signDigest(key.privateKey, transactionDigest(transaction)))
  return { problem: null, hash, raw }
}

function writeCall(authorization: NonNullable<store.RelayRequest['authorization']>): Buffer {
  const { from, to, nonce } = authorization
  const [value, validBefore] = [BigInt(authorization.value), BigInt(authorization.validBefore)]
  const signature = Buffer.from(authorization.signature, 'hex')
  return writeTransfer({ from, to, value, validAfter: 0n, validBefore, nonce }, signature)
}
