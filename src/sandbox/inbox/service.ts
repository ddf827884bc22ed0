import type { Tx } from '../../db/database.ts'
import type { NewDataKey } from '../../encryption/data-key.ts'
import type { Caller } from '../../lib/caller.ts'
import { newId } from '../../lib/ids.ts'
import type { Page, PageRequest } from '../../lib/pages.ts'
import { notFound, Refusal } from '../../lib/refusal.ts'
import { readInboxToken } from './address.ts'
import { type AnswerStatus, type Content, type Inbox, mostInboxes, type ReceivedRequest } from './inbox.ts'
import { addressOf, type InboxDeps, keepRequest, openRequests, secretPlace } from './receipts.ts'
import * as store from './store.ts'

export type InboxChange = { answerStatus?: AnswerStatus; secret?: string }
export type ShownInbox = Inbox & { url: string }
export type InboxService = ReturnType<typeof createInboxService>

/** Receivers for those who try the sandbox: no tunnel and no server of one's own is needed to see a webhook. */
export function createInboxService(deps: InboxDeps) {
  return { ...createChangeOperations(deps), ...createReceiveOperations(deps) }
}

/** What its owner does with an inbox. */
function createChangeOperations(deps: InboxDeps) {
  const { database, pages, vault } = deps
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
      const made = await store.insertInbox(tx, {
        organizationId,
        inboxId,
        dataKeyId,
        sealedSecret,
        answerStatus,
      })
      if (!made) throw new Refusal('CONFLICT', `An organization has ${mostInboxes} inboxes at most; use one of them`)
      return show(made)
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

    listRequests: async (caller: Caller, inboxId: string, request: PageRequest): Promise<Page<ReceivedRequest>> => {
      const inbox = await find(caller.organizationIds, inboxId)
      const scope = { list: 'sandbox inbox requests', filters: { for: inbox.inboxId } }
      const fetch = (slice: Parameters<typeof store.listRequests>[2]) => store.listRequests(database, inbox, slice)
      const numberOf = ({ number }: store.ListedRequest) => number
      const page = await pages.read(scope, request, fetch, numberOf, ({ fits }) => fits)
      return { ...page, items: await openRequests(vault, inbox, page.items) }
    },
  }
}

/** What whoever knows its address does. */
function createReceiveOperations(deps: InboxDeps) {
  const { database, tokenKey } = deps
  const findByToken = (token: string): Promise<Inbox | undefined> | undefined => {
    const named = readInboxToken(tokenKey, token)
    return named && store.findInbox(database, [named.organizationId], named.inboxId)
  }

  return {
    isKnown: async (token: string): Promise<boolean> => (await findByToken(token)) !== undefined,

    /** Keeps what came, and says what to answer. */
    receive: async (token: string, content: Content): Promise<AnswerStatus> => {
      const inbox = await findByToken(token)
      if (!inbox) throw notFound()
      await keepRequest(deps, inbox, content)
      return inbox.answerStatus
    },
  }
}
