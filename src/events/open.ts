import type { SealedEvent } from './event.ts'

type Opened = { outcome: 'OPENED'; bytes: Buffer } | { outcome: 'DESTROYED' }
type Field = { dataKeyId: string; place: { table: string; row: string; column: string }; sealed: Buffer }

/** Opens many fields of one organization at once. */
export type OpenFields = { openFields(organizationId: string, fields: readonly Field[]): Promise<Opened[]> }

/** Shown instead of the data of an erased customer, whose key is destroyed. */
const erased = JSON.stringify({ erased: true })

/** Opens the data of a page of events, in order. */
export async function openEvents(vault: OpenFields, events: readonly SealedEvent[]): Promise<string[]> {
  const texts = new Map<SealedEvent, string>()
  for (const organizationId of new Set(events.map((event) => event.organizationId))) {
    const own = events.filter((event) => event.organizationId === organizationId)
    const fields = own.map(({ eventId, dataKeyId, sealedData }) => {
      return { dataKeyId, sealed: sealedData, place: { table: 'events', row: eventId, column: 'data' } }
    })
    const opened = await vault.openFields(organizationId, fields)
    for (const [at, event] of own.entries()) {
      const each = opened[at]
      texts.set(event, each?.outcome === 'OPENED' ? each.bytes.toString() : erased)
    }
  }
  return events.map((event) => texts.get(event) ?? erased)
}
