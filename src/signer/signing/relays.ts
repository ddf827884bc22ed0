import { chainIds, type EvmNetwork } from '../../catalog/chain-ids.ts'
import type { Environment } from '../../catalog/currencies.ts'
import { gasFacts, gwei } from '../../catalog/gas.ts'
import type { Tx } from '../../db/database.ts'
import { writeTransfer } from '../../lib/evm/authorization.ts'
import { transactionDigest, writeSigned } from '../../lib/evm/fee-market-transaction.ts'
import { signDigest } from '../../lib/evm/signature.ts'
import type { SigningSettings } from '../../lib/settings/signing.ts'
import { describeFailure } from './failure.ts'
import { createGasBudget, type GasBudget } from './gas-budget.ts'
import type { SigningKeys } from './keys.ts'
import { hasLimits } from './limits.ts'
import * as store from './relay-store.ts'

export type RelayDeps = { environment: Environment; gas: SigningSettings<EvmNetwork>['gas']; keys: SigningKeys }

/**
 * Decides about requests of relayers. A relayer only ever executes an authorization that the signer has signed and that
 * is committed, or fills a nonce with a transfer of nothing to itself; within the bounds of gas.
 */
export async function signRelays(deps: RelayDeps, tx: Tx, limit: number): Promise<store.RelayDecision[]> {
  const requests = await store.lockRelayRequests(tx, limit)
  if (requests.length === 0) return []
  const isBounded = Object.values(deps.gas).some(hasLimits)
  const budget = createGasBudget(deps.gas, isBounded ? await store.sumRelayed(tx) : new Map())
  const decisions: store.RelayDecision[] = []
  for (const request of requests) {
    const { network, relayer, nonce, version, refusals } = request
    const decided = await sign(deps, request, budget).catch(describeFailure)
    const key = { network, relayer, nonce, version }
    if (typeof decided !== 'string') decisions.push({ ...key, ...decided, retryInSeconds: null })
    else {
      const retryInSeconds = bounds.includes(decided) ? retryIn(refusals) : null
      decisions.push({ ...key, problem: decided, hash: null, raw: null, retryInSeconds })
    }
  }
  await store.writeRelayDecisions(tx, decisions)
  return decisions
}

/** Bounds of gas: the same transaction is signed once fees have fallen, time has passed, or an operator raises them. */
const bounds = ['MAX_FEE', 'GAS_PER_HOUR', 'GAS_PER_DAY']
const firstRetrySeconds = 15
const longestRetrySeconds = 600

function retryIn(refusals: number): number {
  return Math.min(firstRetrySeconds * 2 ** Math.min(refusals, 10), longestRetrySeconds)
}

type Signed = { problem: null; hash: string; raw: Buffer }

async function sign(
  { environment, gas, keys }: RelayDeps,
  request: store.RelayRequest,
  budget: GasBudget,
): Promise<Signed | string> {
  const { network, relayer, authorization, isForTransfer } = request
  const [gasLimit, maxFee, tip] = [BigInt(request.gasLimit), BigInt(request.maxFee), BigInt(request.tip)]
  const facts = gasFacts[network]
  if (gasLimit > (isForTransfer ? facts.transferGas : facts.fillGas)) return 'its gas limit is too high'
  if (maxFee > BigInt(gas[network].maxFeeGwei) * gwei) return 'MAX_FEE'
  const chainId = chainIds[environment][network]
  if (isForTransfer) {
    if (!authorization) return 'its authorization is not signed'
    if (!authorization.isCommitted) return 'its authorization is not committed'
    if (authorization.isOver) return 'its payout is over'
    if (authorization.chainId !== String(chainId)) return 'its authorization is for another network'
  }
  const key = await keys.ofService('RELAYER', relayer)
  if (!key) return 'no seed has the address of this relayer'
  const exceeded = budget.count(request)
  if (exceeded !== undefined) return exceeded
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
