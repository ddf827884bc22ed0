import type { Database } from '../../db/database.ts'
import type { DataKey, FieldPlace } from '../../encryption/data-key.ts'
import type { Vault } from '../../encryption/data-keys.ts'
import type { Caller } from '../../lib/caller.ts'
import { type EventType, isReadable } from '../../lib/event-types.ts'
import type { Pages } from '../../lib/pages.ts'
import { notFound } from '../../lib/refusal.ts'
import { createInboxToken } from './address.ts'
import { type Content, eventIdsIn, type Inbox, type ReceivedRequest } from './inbox.ts'
import { checkSignature, type SignatureCheck } from './signature.ts'
import * as store from './store.ts'

export type InboxDeps = {
  database: Database
  pages: Pages
  vault: Vault
  tokenKey: Buffer
  /** How many inboxes an organization can have. */
  mostInboxes: number
  /** The public address of this service. */
  baseUrl(): string
  /** Real time, because signatures expire in real time. */
  nowMs(): number
  /** The live secrets of an organization's webhooks that send to an address. */
  secretsFor(organizationId: string, url: string): Promise<readonly string[]>
  /** Finds the key that seals an event of an organization; a null key for an event that is not sealed. */
  findEventKey(
    organizationId: string,
    eventId: string,
  ): Promise<{ dataKeyId: string | null; type: EventType } | undefined>
}

export function addressOf({ tokenKey, baseUrl }: InboxDeps, { organizationId, inboxId }: Inbox): string {
  return `${baseUrl()}/sandbox/receive/${createInboxToken(tokenKey, organizationId, inboxId)}`
}

export async function storeRequest(deps: InboxDeps, inbox: Inbox, content: Content): Promise<SignatureCheck> {
  const { organizationId, inboxId } = inbox
  const nowMs = deps.nowMs()
  const signature = checkSignature(content, await findSecrets(deps, inbox), nowMs)
  const event = await findEvent(deps, organizationId, content)
  // A request about a customer is sealed with that customer's key, so that the customer's erasure includes it.
  const dataKeyId = event?.dataKeyId ?? inbox.dataKeyId
  const key = await deps.vault.unlock(organizationId, dataKeyId)
  await deps.database.inTx(async (tx) => {
    const number = await store.takeNumber(tx, organizationId, inboxId)
    if (number === undefined) throw notFound()
    await store.insertRequest(tx, inbox, {
      number,
      receivedAt: new Date(nowMs),
      eventId: event?.eventId ?? null,
      eventType: event?.type ?? null,
      dataKeyId,
      signature,
      sealedRequest: key ? sealContent(key, requestPlace(inboxId, number), content) : null,
      answeredStatus: inbox.answerStatus,
    })
  })
  return signature
}

async function findSecrets({ vault, secretsFor, ...options }: InboxDeps, inbox: Inbox): Promise<string[]> {
  const { organizationId, inboxId, dataKeyId, sealedSecret } = inbox
  const webhookSecrets = await secretsFor(organizationId, addressOf({ vault, secretsFor, ...options }, inbox))
  if (!sealedSecret) return [...webhookSecrets]
  const own = await vault.openField(organizationId, dataKeyId, secretPlace(inboxId), sealedSecret)
  return own.outcome === 'OPENED' ? [own.bytes.toString(), ...webhookSecrets] : [...webhookSecrets]
}

/** Finds the event of a request. If header and body name different events, an event of a customer takes precedence. */
async function findEvent({ findEventKey }: InboxDeps, organizationId: string, content: Content) {
  const found = await Promise.all(
    eventIdsIn(content).map(async (eventId) => {
      const event = await findEventKey(organizationId, eventId)
      return event && { eventId, dataKeyId: event.dataKeyId, type: event.type }
    }),
  )
  return found.find((each) => each?.dataKeyId) ?? found.find((each) => each !== undefined)
}

/** Opens the requests that the caller may read: others deliver events of types that its credential does not show. */
export async function openRequests(
  vault: Vault,
  { scopes }: Pick<Caller, 'scopes'>,
  inbox: Inbox,
  stored: readonly store.ListedRequest[],
): Promise<ReceivedRequest[]> {
  const { organizationId, inboxId } = inbox
  const isHidden = ({ eventType }: store.ListedRequest) => eventType !== null && !isReadable(scopes, eventType)
  const readable = stored.filter((request) => !isHidden(request))
  const fields = readable.flatMap(({ number, dataKeyId, sealedRequest }) =>
    sealedRequest ? [{ dataKeyId, place: requestPlace(inboxId, number), sealed: sealedRequest }] : [],
  )
  const opened = await vault.openFields(organizationId, fields)
  const contents = new Map(fields.map(({ place }, at) => [place.row, opened[at]]))
  return stored.map((each) => {
    const { number, receivedAt, eventId, signature, answeredStatus } = each
    const found = contents.get(requestPlace(inboxId, number).row)
    const content = found?.outcome === 'OPENED' ? readContent(found.bytes) : undefined
    return { number, receivedAt, eventId, signature, answeredStatus, content, isHidden: isHidden(each) }
  })
}

function sealContent(key: DataKey, place: FieldPlace, { headers, body }: Content): Buffer {
  return key.seal(place, Buffer.concat([Buffer.from(`${JSON.stringify(headers)}\n`), body]))
}

/** Splits headers and body at the first line feed: JSON has no raw line feed. */
function readContent(bytes: Buffer): Content {
  const end = bytes.indexOf('\n')
  return { headers: JSON.parse(bytes.toString('utf8', 0, end)), body: bytes.subarray(end + 1) }
}

export function secretPlace(inboxId: string): FieldPlace {
  return { table: 'sandbox_inboxes', row: inboxId, column: 'sealed_secret' }
}

function requestPlace(inboxId: string, number: string): FieldPlace {
  return { table: 'sandbox_inbox_requests', row: `${inboxId} ${number}`, column: 'sealed_request' }
}
