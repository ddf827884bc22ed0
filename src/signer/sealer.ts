import type { Database, Tx } from '../db/database.ts'
import { writeDestination, writeObligation } from '../lib/seals/content.ts'
import { sealContent, sealContents } from '../lib/seals/seal.ts'
import { type CheckedDestination, readCheckedDestinations } from './checked-destinations.ts'
import * as store from './seal-store.ts'
import type { SealingKeyring, SealingKeyService } from './sealing-keys.ts'
import type { OpenSeed } from './seeds.ts'

export type SealerDeps = {
  database: Database
  sealingKeys: SealingKeyService
  /** Opens every seed, retired ones included: an assigned address stays in use for ever. */
  openSeeds(): Promise<OpenSeed[]>
  /** Reports rows that the signer does not seal, one sentence each. */
  onProblem(problems: readonly string[]): void
}

export type Sealer = ReturnType<typeof createSealer>

const batchSize = 100
const recheckInSeconds = 60
/** A retired key is refused within this time. */
const keysLiveMs = 5_000
/** The destination of an obligation is sealed in the same round, unless it has a problem of its own. */
const awaitDestinationInSeconds = 1

/**
 * Seals destinations once they are registered and obligations once they are created. It trusts no row: it derives the
 * address of a service wallet from its seed, and an obligation from its transaction, deposit and the ledger.
 */
export function createSealer({ database, sealingKeys, openSeeds, onProblem }: SealerDeps) {
  let keyring: SealingKeyring | undefined
  let staleAtMs = 0
  let isStarted = false
  const isDerived = createAddressCheck(openSeeds)

  /** Writes while the key is locked, so that no seal of a replaced key is written after its replacement. */
  const write = async <Outcome>(
    { inUse }: SealingKeyring,
    outcomes: readonly Outcome[],
    writeOutcomes: (tx: Tx, outcomes: readonly Outcome[]) => Promise<void>,
  ): Promise<void> => {
    await database.inTx(async (tx) => {
      if ((await store.lockSealingKey(tx, 'use')) === inUse.keyId) await writeOutcomes(tx, outcomes)
      else keyring = undefined
    })
  }

  const sealDestinations = async (keys: SealingKeyring): Promise<number> => {
    const unsealed = await store.readUnsealedDestinations(database, batchSize)
    if (unsealed.length === 0) return 0
    const outcomes: store.DestinationOutcome[] = []
    for (const destination of unsealed) {
      const { organizationId, paymentAccountId: id, detailsVersion } = destination
      const problem = (await isDerived(destination)) ? null : 'its address is not derived from a seed'
      const seal = problem === null ? sealContent(keys.inUse, writeDestination(destination)) : null
      outcomes.push({ organizationId, id, detailsVersion, seal, problem, recheckInSeconds })
    }
    await write(keys, outcomes, store.sealDestinations)
    const problems = describeProblems('payment account', outcomes)
    if (problems.length > 0) onProblem(problems)
    return unsealed.length
  }

  const sealObligations = async (keys: SealingKeyring): Promise<number> => {
    const unsealed = await store.readUnsealedObligations(database, batchSize)
    if (unsealed.length === 0) return 0
    const findDestination = await readCheckedDestinations(database, keys, unsealed)
    const judged = unsealed.map((obligation) => judgeObligation(obligation, findDestination(obligation)))
    const contents = judged.flatMap(({ content }) => content ?? [])
    const seals = sealContents(keys.inUse, contents)
    const outcomes = judged.map(({ content, ...each }): store.SealOutcome => {
      return { ...each, seal: content && (seals[contents.indexOf(content)] ?? null) }
    })
    await write(keys, outcomes, store.sealObligations)
    const problems = describeProblems('payout', outcomes)
    if (problems.length > 0) onProblem(problems)
    return unsealed.length
  }

  return {
    due: store.dueSeals,

    /** Seals a batch of destinations, then a batch of obligations; answers how many rows it checked. */
    sealDue: async (): Promise<number> => {
      // Only a signer that starts makes a key: two signers with different signer keys would replace each other's for ever.
      if (!keyring || performance.now() >= staleAtMs) {
        keyring = await (isStarted ? sealingKeys.open() : sealingKeys.openOrCreate())
        staleAtMs = performance.now() + keysLiveMs
      }
      isStarted = true
      const keys = keyring
      return (await sealDestinations(keys)) + (await sealObligations(keys))
    },
  }
}

/** The outcome of an obligation, with the content to seal if it is owed and its account is genuine. */
type Judged = Omit<store.SealOutcome, 'seal'> & { content: Buffer | null }

function judgeObligation(obligation: store.UnsealedObligation, destination: CheckedDestination | undefined): Judged {
  const { organizationId, payoutId: id } = obligation
  if (obligation.problem === null && destination?.seal === null) {
    return { organizationId, id, content: null, problem: null, recheckInSeconds: awaitDestinationInSeconds }
  }
  // Our treasury has no account: the signer itself has registered its address.
  const isGenuine = obligation.paymentAccountId === null || destination?.isGenuine === true
  const problem = obligation.problem ?? (isGenuine ? null : 'the seal of its account is wrong')
  const content = problem === null ? writeObligation(obligation) : null
  return { organizationId, id, content, problem, recheckInSeconds }
}

/** Derives the address of a service wallet anew. An external wallet and a bank account have no seed. */
function createAddressCheck(openSeeds: SealerDeps['openSeeds']) {
  let seeds = new Map<string, OpenSeed>()
  return async ({ walletType, seedId, addressIndex, address }: store.UnsealedDestination): Promise<boolean> => {
    if (walletType === null) return true
    if (seedId === null || addressIndex === null) return false
    if (!seeds.has(seedId)) seeds = new Map((await openSeeds()).map((seed) => [seed.seedId, seed]))
    return seeds.get(seedId)?.keyring.addressAt(walletType, addressIndex).address === address
  }
}

function describeProblems(kind: string, outcomes: readonly store.SealOutcome[]): string[] {
  return outcomes.flatMap(({ id, problem }) => (problem ? `${kind} ${id} is not sealed: ${problem}` : []))
}
