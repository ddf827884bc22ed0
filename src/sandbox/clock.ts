import type { Audit } from '../db/audit/audit.ts'
import { advanceClock, type BusinessTime, freezeClock, readClock, resumeClock } from '../db/business-clock.ts'
import type { Database, Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { addDuration, type Duration, parseDuration } from '../lib/duration.ts'
import { badField } from '../lib/refusal.ts'
import type { ChainControl } from './chains/control.ts'

export type ClockMove = { advance?: string; freeze?: true; resume?: true }
export type SandboxClock = ReturnType<typeof createSandboxClockService>

// Late enough for any test, and early enough for every date library.
const latest = new Date('2999-01-01T00:00:00Z')

type ClockDeps = { database: Database; audit: Audit; localChains: Pick<ChainControl, 'setClock'> | undefined }

export function createSandboxClockService({ database, audit, localChains }: ClockDeps) {
  return {
    read: (): Promise<BusinessTime> => readClock(database),

    /** Tells the local chains the committed business time: their blocks carry it. */
    announce: async (): Promise<void> => {
      if (!localChains) return
      const { now, frozen } = await readClock(database)
      const time = now.getTime()
      await localChains.setClock(frozen ? { frozenAtMs: time } : { offsetMs: time - Date.now() })
    },

    move: async (tx: Tx, caller: Caller, move: ClockMove): Promise<BusinessTime> => {
      const moved = await moveClock(tx, move)
      await audit.append(tx, {
        organizationId: caller.organizationId,
        actor: `api_key:${caller.apiKeyId}`,
        action: 'sandbox.clock_moved',
        subjectId: 'clock',
        details: { ...move },
      })
      return moved
    },
  }
}

async function moveClock(tx: Tx, move: ClockMove): Promise<BusinessTime> {
  if (Object.keys(move).length !== 1) throw badField('body', 'must have exactly one of advance, freeze, resume')
  if (move.freeze) return freezeClock(tx)
  if (move.resume) return resumeClock(tx)
  const duration = parseDuration(move.advance)
  if (!duration.ok) throw badField('advance', 'must be an ISO 8601 duration such as PT5M1S')
  const moved = isPossible(duration) && (await advanceClock(tx, move.advance ?? '', latest))
  if (!moved) throw badField('advance', `must not go past ${latest.toISOString()}`)
  return moved
}

/** Filters out durations that PostgreSQL would answer with an overflow error. */
function isPossible(duration: Duration): boolean {
  try {
    return addDuration(new Date(0), duration) < latest
  } catch {
    return false
  }
}
