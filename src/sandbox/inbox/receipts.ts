import type { Database } from '../../db/database.ts'
import type { DataKey, FieldPlace } from '../../encryption/data-key.ts'
import type { Vault } from '../../encryption/data-keys.ts'
import type { Pages } from '../../lib/pages.ts'
import { createInboxToken } from './address.ts'
import { type Content, eventIdsIn, type Inbox, type ReceivedRequest } from './inbox.ts'
import { checkSignature } from './signature.ts'
import * as store from './store.ts'

export type InboxDeps = {
  database: Database
  pages: Pages
  vault: Vault
  tokenKey: Buffer
  /** The public address of this service. */
  baseUrl(): string
  /** Real time, because signatures expire in real time. */
  nowMs(): number
  /** The live secrets of an organization's webhooks that send to an address. */
  secretsFor(organizationId: string, url: string): Promise<readonly string[]>
  /** Finds the key that seals an event of an organization; a null key for an event that is not sealed. */
  findEventKey(organizationId: string, eventId: string): Promise<{ dataKeyId: string | null } | undefined>
}

export function addressOf({ tokenKey, baseUrl }: InboxDeps, { organizationId, inboxId }: Inbox): string {
  return `${baseUrl()}/sandbox/receive/${createInboxToken(tokenKey, organizationId, inboxId)}`
}

export async function storeRequest(deps: InboxDeps, inbox: Inbox, content: Content): Promise<void> {
  const { organizationId, inboxId } = inbox
  const nowMs = deps.nowMs()
  const signature = checkSignature(content, await findSecrets(deps, inbox), nowMs)
  const event = await findEvent(deps, organizationId, content)
  // A request about a customer is sealed with that customer's key, so that the customer's erasure includes it.
  const dataKeyId = event?.dataKeyId ?? inbox.dataKeyId
  const key = await deps.vault.unlock(organizationId, dataKeyId)
  await deps.database.inTx(async (tx) => {
    const number = await store.takeNumber(tx, organizationId, inboxId)
    await store.insertRequest(tx, inbox, {
      number,
      receivedAt: new Date(nowMs),
      eventId: event?.eventId ?? null,
      dataKeyId,
      signature,
      sealedRequest: key ? sealContent(key, requestPlace(inboxId, number), content) : null,
      answeredStatus: inbox.answerStatus,
    })
  })
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
      return event && { eventId, dataKeyId: event.dataKeyId }
    }),
  )
  return found.find((each) => each?.dataKeyId) ?? found.find((each) => each !== undefined)
}

export async function openRequests(
  vault: Vault,
  inbox: Inbox,
  stored: readonly store.ListedRequest[],
): Promise<ReceivedRequest[]> {
  const { organizationId, inboxId } = inbox
  const fields = stored.flatMap(({ number, dataKeyId, sealedRequest }) =>
    sealedRequest ? [{ dataKeyId, place: requestPlace(inboxId, number), sealed: sealedRequest }] : [],
  )
  const opened = await vault.openFields(organizationId, fields)
  const contents = new Map(fields.map(({ place }, at) => [place.row, opened[at]]))
  return stored.map(({ dataKeyId: _, sealedRequest: __, fits: ___, ...request }) => {
    const content = contents.get(requestPlace(inboxId, request.number).row)
    return { ...request, content: content?.outcome === 'OPENED' ? readContent(content.bytes) : undefined }
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
