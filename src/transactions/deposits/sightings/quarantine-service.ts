import type { Audit } from '../../../db/audit/audit.ts'
import type { Database } from '../../../db/database.ts'
import { platformOrganizationId } from '../../../lib/ids.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { quarantineMoves } from './quarantine.ts'
import * as store from './quarantine-store.ts'
import { insertOwned, type SightingDeps, wakeTransaction } from './record.ts'

export type QuarantineDecision = { quarantineId: string; reason: string }

type QuarantineDeps = { database: Database; audit: Audit; custody: SightingDeps['custody'] }

const maxShown = 100
const actor = 'command line'

/** Manages bank entries that came with the reference of another entry. They stay out of the books until a decision. */
export function createQuarantineService({ database, audit, custody }: QuarantineDeps) {
  const decide = ({ quarantineId, reason }: QuarantineDecision, move: keyof typeof quarantineMoves) =>
    database.inTx(async (tx) => {
      const entry = await store.decideQuarantined(tx, quarantineId, quarantineMoves[move])
      if (!entry) return undefined
      const { method, book, externalId, blockNumber, blockHash } = entry
      const block = blockNumber !== null && blockHash !== null ? { number: BigInt(blockNumber), hash: blockHash } : null
      const own = { ...entry, externalId: `${externalId}~${quarantineId}`, state: 'FINAL', block } as const
      // On a chain one reference is one transfer. Only a bank uses a reference twice.
      if (move === 'accept' && block !== null && (await store.isAcceptedAlready(tx, entry)))
        throw new Refusal('CONFLICT', 'This transfer was accepted in another block, which the chain has not dropped')
      if (move === 'accept' && !(await insertOwned({ custody }, tx, own)))
        throw new Error(`the reference ${own.externalId} is taken: the entry stays in quarantine`)
      if (move === 'dismiss') await wakeTransaction(tx, entry)
      await audit.append(tx, {
        organizationId: platformOrganizationId,
        actor,
        action: move === 'accept' ? 'sighting.accepted' : 'sighting.dismissed',
        subjectId: quarantineId,
        details: { method, book, externalId, reason },
      })
      return own.externalId
    })
  return {
    /** Lists quarantined entries, oldest first. */
    list: (): Promise<store.ListedSighting[]> => store.listQuarantined(database, maxShown),

    count: (): Promise<number> => store.countQuarantined(database),

    /**
     * Records an entry as a sighting of its own. Answers its reference: the bank's, made distinct by the id of the
     * entry. Undefined when it is not in quarantine.
     */
    accept: (decision: QuarantineDecision): Promise<string | undefined> => decide(decision, 'accept'),

    /** Ends the quarantine of an entry that is no money. False when it is not in quarantine. */
    dismiss: async (decision: QuarantineDecision): Promise<boolean> =>
      (await decide(decision, 'dismiss')) !== undefined,
  }
}
