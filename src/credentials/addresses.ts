import type { Audit } from '../db/audit/audit.ts'
import type { Database, Tx } from '../db/database.ts'
import { appendEvents } from '../db/outbox/events.ts'
import { parseIpRange } from '../lib/addresses/ip-range.ts'
import * as store from './address-store.ts'
import { presentApiKey } from './wire.ts'

const dayMs = 86_400_000
/** Bounds the memory of a process. When it is full, the process asks the database again. */
const mostKnown = 20_000
/** Addresses of one key that one batch records. A key from further ones is new there at its next use. */
const mostOfKey = 20
/** Events about one key a day. A key of callers without fixed addresses would otherwise cause one at each call. */
const mostEventsADay = 20

type Sight = { organizationId: string; apiKeyId: string; address: string }

/**
 * Remembers from which addresses each key was used, and reports those that are new. A request costs one look into the
 * memory of the process; the database is written some seconds later, at the first sight of an address and once a day
 * afterwards. The table decides what is new, so processes and restarts agree.
 */
export function createAddressMemory({ database, audit, nowMs }: { database: Database; audit: Audit; nowMs(): number }) {
  const known = new Map<string, number>()
  let last = { apiKeyId: '', address: '', day: 0 }
  const pending = new Map<string, Sight>()
  return {
    note: ({ organizationId, apiKeyId }: Omit<Sight, 'address'>, address: string): void => {
      const day = Math.floor(nowMs() / dayMs)
      // Most requests come from where the one before them came from.
      if (last.apiKeyId === apiKeyId && last.address === address && last.day === day) return
      const name = `${apiKeyId} ${address}`
      last = { apiKeyId, address, day }
      if (known.get(name) === day) return
      if (known.size >= mostKnown) known.clear()
      known.set(name, day)
      pending.set(name, { organizationId, apiKeyId, address })
    },

    record: async (): Promise<void> => {
      if (pending.size === 0) return
      const batch = new Map(pending)
      pending.clear()
      try {
        await database.inTx((tx) => recordSights(tx, audit, [...batch.values()]))
      } catch (error) {
        // The next use of each key notes its address again.
        for (const name of batch.keys()) known.delete(name)
        last = { apiKeyId: '', address: '', day: 0 }
        throw error
      }
    },
  }
}

async function recordSights(tx: Tx, audit: Audit, sights: readonly Sight[]): Promise<void> {
  const places = new Map(sights.map((sight) => [`${sight.apiKeyId} ${placeOf(sight.address)}`, sight]))
  // In order of their ids: two processes that write at once cannot deadlock.
  const ordered = [...places]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, sight]) => ({ ...sight, address: placeOf(sight.address) }))
  const fresh = await store.recordAddresses(tx, ordered)
  const byKey = Map.groupBy(fresh, ({ apiKeyId }) => apiKeyId)
  for (const [apiKeyId, seen] of [...byKey].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const { organizationId } = seen[0] as Sight
    const key = await store.raiseKeyVersion(tx, organizationId, apiKeyId)
    const counted = await store.countAddresses(tx, organizationId, apiKeyId)
    await store.forgetOldAddresses(tx, organizationId, apiKeyId)
    // The first address of a key is what others are compared with.
    const addresses = seen.map(({ address }) => address).slice(counted.all === seen.length ? 1 : 0, mostOfKey)
    if (!key || addresses.length === 0) continue
    // The addresses of this batch do not count against it: many at once are the alert that matters most.
    if (counted.today - seen.length < mostEventsADay) {
      const data = { ...presentApiKey(key), addresses }
      const event = { type: 'api_key.new_address', resourceId: apiKeyId, resourceVersion: key.version, data } as const
      await appendEvents(tx, [{ organizationId, ...event }])
    }
    await audit.append(tx, {
      organizationId,
      actor: `api_key:${apiKeyId}`,
      action: 'api_key.new_address',
      subjectId: apiKeyId,
      details: { addresses },
    })
  }
}

/** An IPv6 caller changes its address within its network (RFC 8981), so the network stands for it. */
function placeOf(address: string): string {
  const range = parseIpRange(address)
  if (!range || range.bits === 32) return address
  const groups = Array.from({ length: 4 }, (_, at) => (range.value >> BigInt(112 - 16 * at)) & 0xffffn)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}
