import type { KeyObject } from 'node:crypto'
import {
  chainOf,
  currencyOf,
  type Environment,
  isTokenAsset,
  scaleOf,
  type TokenAsset,
} from '../../../catalog/currencies.ts'
import type { Tx } from '../../../db/database.ts'
import { readSolanaAddress } from '../../../lib/addresses/solana-address.ts'
import type { SigningLimits, SolanaBounds } from '../../../lib/settings/signing.ts'
import { writeSignature, writeTransaction } from '../../../lib/solana/message.ts'
import { openSigningKey, signMessage } from '../../../lib/solana/signature.ts'
import { createsAccountFor, referenceKeyOf, writeTransferMessage } from '../../../lib/solana/transfer.ts'
import { type CheckedDestination, readCheckedDestinations } from '../../checked-destinations.ts'
import type { KeyPair } from '../../derivation.ts'
import type { SealingKeyring } from '../../sealing-keys.ts'
import { findOwnAddresses, type OwnAddresses } from '../authorization-store.ts'
import { describeFailure } from '../failure.ts'
import type { SigningKeys } from '../keys.ts'
import { createCounter, hasLimits } from '../limits.ts'
import { findKey, findOwnAddress, findSealProblem, ownPurposes } from '../obligation.ts'
import { createSolanaBudget } from './budget.ts'
import * as store from './store.ts'

export type SolanaTransferDeps = {
  environment: Environment
  limits: SigningLimits
  bounds: SolanaBounds
  keys: SigningKeys
}

/** In production, the real seconds between two signatures for one obligation: several times the life of a blockhash. */
const marginSeconds = 300

/**
 * Decides about requests for transactions on Solana. It trusts no request: it derives the sender, the receiver, the
 * token and the amount from the sealed obligation, asks the ledger whether it is still owed, and builds the message
 * itself. A request chooses the blockhash, and the fee within the bounds.
 */
export async function signSolanaTransfers(
  deps: SolanaTransferDeps,
  tx: Tx,
  seals: SealingKeyring,
  waiting: { requestIds: readonly string[]; over: readonly string[] },
): Promise<store.TransferDecision[]> {
  const margin = { marginSeconds: deps.environment === 'sandbox' ? 0 : marginSeconds }
  const requests = await store.lockRequests(tx, { ...waiting, ...margin })
  if (requests.length === 0) return []
  const findDestination = await readCheckedDestinations(tx, seals, requests)
  const { count } = createCounter(deps.limits, hasLimits(deps.limits) ? await store.sumSigned(tx) : new Map())
  const budget = createSolanaBudget(deps.bounds, hasLimits(deps.bounds) ? await store.readSpent(tx) : [])
  const own = await findOwnAddresses(tx, 'SOLANA')
  const decisions: store.TransferDecision[] = []
  const decided = new Set<string>()
  for (const request of requests) {
    const { transferId, payoutId } = request
    const destination = findDestination(request)
    const surroundings = { seals, destination, own, count, budget }
    // Two requests in one batch: the record does not show the first signature yet.
    const decision = decided.has(payoutId)
      ? 'an earlier transaction may still pay, or has paid'
      : await sign(deps, request, surroundings).catch(describeFailure)
    if (typeof decision === 'string') decisions.push({ transferId, problem: decision, signed: null })
    else {
      decided.add(payoutId)
      decisions.push({ transferId, problem: null, signed: decision })
    }
  }
  await store.writeDecisions(tx, decisions)
  return decisions
}

type Surroundings = {
  seals: SealingKeyring
  destination: CheckedDestination | undefined
  own: OwnAddresses
  count: ReturnType<typeof createCounter>['count']
  budget: ReturnType<typeof createSolanaBudget>
}

type Signed = NonNullable<store.TransferDecision['signed']>

/** Signs one request, or tells why not. */
async function sign(
  deps: SolanaTransferDeps,
  request: store.TransferRequest,
  { seals, destination, own, count, budget }: Surroundings,
): Promise<Signed | string> {
  const problem = request.problem ?? findProblem(deps, request) ?? findSealProblem(request, seals, destination)
  if (problem !== null) return problem
  const asset = request.asset as TokenAsset
  const isOwn = ownPurposes.includes(request.purpose)
  const to = isOwn ? await findOwnAddress(deps.keys, request, own) : (destination?.address ?? undefined)
  if (to === undefined) return 'it has no address to go to'
  const owner = await findKey(deps.keys, request)
  if (!owner) return 'no seed has the address that pays'
  const relayer = await deps.keys.ofService('RELAYER', request.relayer)
  if (!relayer) return 'no seed has the address of this relayer'
  const value = BigInt(request.amount)
  const computeUnitPrice = BigInt(request.computeUnitPrice)
  const exceeded = isOwn ? undefined : count({ asset, value, isInHour: false, isInDay: false })
  if (exceeded !== undefined) return exceeded
  const overspent = budget.count(computeUnitPrice)
  if (overspent !== undefined) return overspent
  const mint = mintOf(deps.environment, asset)
  const { bytes, signers } = writeTransferMessage({
    relayer: relayer.address,
    from: owner.address,
    to,
    mint,
    decimals: scaleOf(asset),
    amount: value,
    reference: referenceKeyOf(request.payoutId),
    blockhash: request.blockhash,
    computeUnitPrice,
    createsAccount: createsAccountFor(request.purpose),
  })
  const signatures = signers.map((address) => signAs([relayer, owner], address, bytes))
  const signature = writeSignature(signatures[0] as Uint8Array)
  const raw = writeTransaction(bytes, signatures)
  return { asset, mint, from: owner.address, to, value, signature, raw, counts: !isOwn }
}

/** Keys that are open: opening one costs more than a signature. They go with their pairs. */
const open = new WeakMap<KeyPair, KeyObject>()

function signAs(pairs: readonly KeyPair[], address: string, message: Buffer): Uint8Array {
  const pair = pairs.find((each) => each.address === address)
  if (!pair) throw new Error(`the message needs a signature of ${address}`)
  const key = open.get(pair) ?? openSigningKey(pair.privateKey)
  open.set(pair, key)
  return signMessage(key, message)
}

function findProblem({ bounds }: SolanaTransferDeps, request: store.TransferRequest): string | null {
  const { asset, method, blockhash, computeUnitPrice } = request
  if (!isTokenAsset(asset) || chainOf(asset) !== method || method !== 'SOLANA') return 'its asset is not on Solana'
  if (!readSolanaAddress(blockhash)) return 'its blockhash is malformed'
  if (BigInt(computeUnitPrice) > BigInt(bounds.maxPriority)) return 'MAX_FEE'
  return null
}

function mintOf(environment: Environment, asset: TokenAsset): string {
  const currency = currencyOf(environment, asset)
  if (!('contractAddress' in currency)) throw new Error(`${asset} has no mint`)
  return currency.contractAddress
}
