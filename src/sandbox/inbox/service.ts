import type { Tx } from '../../db/database.ts'
import type { NewDataKey } from '../../encryption/data-key.ts'
import type { Caller } from '../../lib/caller.ts'
import { newId } from '../../lib/ids.ts'
import type { Page, PageRequest } from '../../lib/pages.ts'
import { notFound, Refusal } from '../../lib/refusal.ts'
import { readInboxToken } from './address.ts'
import { type AnswerStatus, type Content, challengeIn, type Inbox, type ReceivedRequest } from './inbox.ts'
import { addressOf, type InboxDeps, openRequests, secretPlace, storeRequest } from './receipts.ts'
import * as store from './store.ts'

export type InboxChange = { answerStatus?: AnswerStatus; secret?: string }
export type ShownInbox = Inbox & { url: string }
export type InboxService = ReturnType<typeof createInboxService>

/** Webhook receivers for the sandbox: an integrator sees webhooks without a tunnel or an own server. */
export function createInboxService(deps: InboxDeps) {
  return { ...createChangeOperations(deps), ...createReceiveOperations(deps) }
}

function createChangeOperations(deps: InboxDeps) {
  const { database, pages, vault, mostInboxes } = deps
  const show = (inbox: Inbox): ShownInbox => ({ ...inbox, url: addressOf(deps, inbox) })
  const find = async (organizationIds: readonly string[], inboxId: string): Promise<Inbox> => {
    const found = await store.findInbox(database, organizationIds, inboxId)
    if (!found) throw notFound()
    return found
  }

  return {
    prepare: (caller: Caller): Promise<NewDataKey> => vault.prepareDataKey(caller.organizationId),

    create: async (tx: Tx, key: NewDataKey, wanted: InboxChange): Promise<ShownInbox> => {
      const { organizationId } = key
      const inboxId = newId()
      const dataKeyId = await vault.createDataKey(tx, key)
      const { answerStatus = 200, secret } = wanted
      const sealedSecret = secret === undefined ? null : key.seal(secretPlace(inboxId), secret)
      const inbox = { organizationId, inboxId, dataKeyId, sealedSecret, answerStatus }
      const inserted = await store.insertInbox(tx, inbox, mostInboxes)
      if (!inserted)
        throw new Refusal(
          'CONFLICT',
          `An organization can have at most ${mostInboxes} sandbox inboxes: delete one first`,
        )
      return show(inserted)
    },

    list: async (caller: Caller, request: PageRequest): Promise<Page<ShownInbox>> => {
      const { organizationId } = caller
      const scope = { list: 'sandbox inboxes', filters: { for: organizationId } }
      const fetch = (slice: Parameters<typeof store.listInboxes>[2]) =>
        store.listInboxes(database, organizationId, slice)
      const page = await pages.read(scope, request, fetch, ({ inboxId }) => inboxId)
      return { ...page, items: page.items.map(show) }
    },

    change: async (caller: Caller, inboxId: string, readChange: () => InboxChange): Promise<ShownInbox> => {
      const inbox = await find(caller.organizationIds, inboxId)
      const { answerStatus = inbox.answerStatus, secret } = readChange()
      const sealedSecret =
        secret === undefined
          ? inbox.sealedSecret
          : await vault.sealField(inbox.organizationId, inbox.dataKeyId, secretPlace(inbox.inboxId), secret)
      const changed = await store.changeInbox(database, { ...inbox, answerStatus, sealedSecret })
      if (!changed) throw notFound()
      return show(changed)
    },

    /** Deletes an inbox with its requests. Its address is unknown from then on. */
    delete: (caller: Caller, inboxId: string): Promise<ShownInbox> =>
      database.inTx(async (tx) => {
        const deleted = await store.deleteInbox(tx, caller.organizationIds, inboxId)
        if (!deleted) throw notFound()
        return show(deleted)
      }),

    count: (organizationIds: readonly string[]) => store.countInboxes(database, organizationIds),

    listRequests: async (caller: Caller, inboxId: string, request: PageRequest): Promise<Page<ReceivedRequest>> => {
      const inbox = await find(caller.organizationIds, inboxId)
      const scope = { list: 'sandbox inbox requests', filters: { for: inbox.inboxId } }
      const fetch = (slice: Parameters<typeof store.listRequests>[2]) => store.listRequests(database, inbox, slice)
      const numberOf = ({ number }: store.ListedRequest) => number
      const page = await pages.read(scope, request, fetch, numberOf, ({ fits }) => fits)
      return { ...page, items: await openRequests(vault, caller, inbox, page.items) }
    },
  }
}

/** Operations for senders, who know only the secret address. */
function createReceiveOperations(deps: InboxDeps) {
  const { database, tokenKey } = deps
  const findByToken = (token: string): Promise<Inbox | undefined> | undefined => {
    const ids = readInboxToken(tokenKey, token)
    return ids && store.findInbox(database, [ids.organizationId], ids.inboxId)
  }

  return {
    isKnown: async (token: string): Promise<boolean> => (await findByToken(token)) !== undefined,

    /**
     * Stores the request and returns the status to answer, and the challenge to return. Like a careful receiver, an
     * inbox returns the challenge of a valid signature only.
     */
    receive: async (token: string, content: Content): Promise<{ status: AnswerStatus; challenge?: string }> => {
      const inbox = await findByToken(token)
      if (!inbox) throw notFound()
      const { outcome } = await storeRequest(deps, inbox, content)
      const challenge = outcome === 'VALID' ? challengeIn(content) : undefined
      return { status: inbox.answerStatus, ...(challenge === undefined ? {} : { challenge }) }
    },
  }
}
