import { evmNetworks } from '../../catalog/chain-ids.ts'
import { chainOf, type Environment, isTokenAsset, type TokenAsset } from '../../catalog/currencies.ts'
import { tokenDomainOf } from '../../catalog/token-domains.ts'
import type { Tx } from '../../db/database.ts'
import { digestOf, nonceOf } from '../../lib/evm/authorization.ts'
import { signDigest } from '../../lib/evm/signature.ts'
import type { SigningLimits } from '../../lib/settings/signing.ts'
import { type CheckedDestination, readCheckedDestinations } from '../checked-destinations.ts'
import type { SealingKeyring } from '../sealing-keys.ts'
import * as store from './authorization-store.ts'
import { describeFailure } from './failure.ts'
import type { SigningKeys } from './keys.ts'
import { createCounter, hasLimits } from './limits.ts'
import { findKey, findOwnAddress, findSealProblem, ownPurposes } from './obligation.ts'

export type TransferDeps = {
  environment: Environment
  limits: SigningLimits
  keys: SigningKeys
}

/** The longest validity that the signer gives, in seconds: an attempt must die soon enough to be repeated. */
const longestValidity = 7_200n

/** In production, the time of networks and of the signer may differ by less than this. */
const marginSeconds = 900

/**
 * Decides about requests for transfers. It trusts no request: it derives the sender, the receiver, the token and the
 * amount from the sealed obligation, and asks the ledger whether it is still owed.
 */
export async function signTransfers(
  deps: TransferDeps,
  tx: Tx,
  seals: SealingKeyring,
  limit: number,
): Promise<store.TransferDecision[]> {
  const requests = await store.lockRequests(tx, limit, timeOf(deps.environment))
  if (requests.length === 0) return []
  const findDestination = await readCheckedDestinations(tx, seals, requests)
  const counter = createCounter(deps.limits, hasLimits(deps.limits) ? await store.sumSigned(tx) : new Map())
  const own = await store.findOwnAddresses(tx, 'EVM')
  const decisions: store.TransferDecision[] = []
  const decided = new Set<string>()
  for (const request of requests) {
    const { authorizationId, payoutId } = request
    const destination = findDestination(request)
    const isRepeated = decided.has(payoutId)
    const decision = isRepeated
      ? 'an earlier authorization may still be used'
      : await sign(deps, request, { seals, destination, own, count: counter.count }).catch(describeFailure)
    if (typeof decision !== 'string') decided.add(payoutId)
    decisions.push(
      typeof decision === 'string'
        ? { authorizationId, problem: decision, signed: null }
        : { authorizationId, problem: null, signed: decision },
    )
  }
  await store.writeDecisions(tx, decisions)
  return decisions
}

function timeOf(environment: Environment): store.SignerTime {
  const isBusinessTime = environment === 'sandbox'
  return { isBusinessTime, marginSeconds: isBusinessTime ? 0 : marginSeconds }
}

type Surroundings = {
  seals: SealingKeyring
  destination: CheckedDestination | undefined
  own: store.OwnAddresses
  count: ReturnType<typeof createCounter>['count']
}

type Signed = NonNullable<store.TransferDecision['signed']>

/** Signs one request, or tells why not. */
async function sign(
  deps: TransferDeps,
  request: store.TransferRequest,
  { seals, destination, own, count }: Surroundings,
): Promise<Signed | string> {
  const problem = request.problem ?? findProblem(request, seals, destination)
  if (problem !== null) return problem
  const asset = request.asset as TokenAsset
  const isOwn = ownPurposes.includes(request.purpose)
  const to = isOwn ? await findOwnAddress(deps.keys, request, own) : (destination?.address ?? undefined)
  if (to === undefined) return 'it has no address to go to'
  const key = await findKey(deps.keys, request)
  if (!key) return 'no seed has the address that pays'
  if (request.senders.some((sender) => sender !== key.address))
    return 'an earlier authorization pays from another address'
  const value = BigInt(request.amount)
  const { isInHour, isInDay } = request
  const exceeded = isOwn ? undefined : count({ asset, value, isInHour, isInDay })
  if (exceeded !== undefined) return exceeded
  const domain = tokenDomainOf(deps.environment, asset)
  const nonce = nonceOf(request.payoutId)
  const transfer = { from: key.address, to, value, validAfter: 0n, validBefore: BigInt(request.validBefore), nonce }
  const signature = signDigest(key.privateKey, digestOf(domain, transfer))
  const { chainId, contract } = domain
  return { asset, chainId, contract, from: key.address, to, value, nonce, signature, counts: !isOwn }
}

function findProblem(
  request: store.TransferRequest,
  seals: SealingKeyring,
  destination: CheckedDestination | undefined,
): string | null {
  const { asset, method, validBefore, now } = request
  if (!isTokenAsset(asset) || chainOf(asset) !== method || !evmNetworks.some((each) => each === method))
    return 'its asset is on no EVM network'
  const wrong = findSealProblem(request, seals, destination)
  if (wrong !== null) return wrong
  const validity = BigInt(validBefore) - BigInt(now)
  if (validity <= 0n || validity > longestValidity) return 'its validity is too long, or over'
  return null
}
