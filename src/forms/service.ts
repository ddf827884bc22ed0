import type { OpenCustomer } from '../customers/sealed-customer.ts'
import { newId } from '../lib/ids.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import { type Draft, submissionOf } from './draft.ts'
import {
  type Answers,
  applyChanges,
  changedElsewhere,
  changeNewest,
  type FormDeps,
  loadDraft,
  type OpenDraft,
  openDraft,
  placeFile,
  requireOpen,
  requireSamePlaces,
  type SandboxDecision,
  writeDraft,
} from './drafts.ts'
import { findOpenedPart, requireOpened } from './opened.ts'
import { isImage, parsePath, schemaAt } from './paths.ts'
import { type FormSession, renewSession } from './session.ts'
import { readState } from './state.ts'
import * as store from './store.ts'
import { inspectSubmission } from './wire.ts'

export type FormService = ReturnType<typeof createFormService>

export type SentFile = { field: string; moves: number; mediaType: string; bytes: Buffer }

/** `moves`: as the page knew it. */
export type SentAnswers = Answers & { revision: number; moves?: number; isLast?: boolean }

const draftDays = 30

/** Serves the hosted verification form of one customer. */
export function createFormService(deps: FormDeps) {
  return { ...createSessionOperations(deps), ...createDraftOperations(deps), ...createOutcomeOperations(deps) }
}

function createSessionOperations({ database, customers }: FormDeps) {
  return {
    /** Exchanges the token of a link for a session. */
    exchange: async (token: string, nowMs: number): Promise<FormSession | undefined> => {
      const opened = await customers.openByLink(token)
      if (!opened) return undefined
      const { organizationId, customerId, linkVersion } = opened.customer
      const session = { sessionId: newId(), organizationId, subjectId: customerId, linkVersion, startedAtMs: nowMs }
      return renewSession(session, nowMs)
    },

    /** Opens the customer of a session; undefined when its link was revoked or its customer erased. */
    open: async ({ organizationId, subjectId, linkVersion }: FormSession): Promise<OpenCustomer | undefined> => {
      const opened = await customers.open([organizationId], subjectId)
      return opened?.key && opened.customer.linkVersion === linkVersion ? opened : undefined
    },

    /** Tells whether something changed, at little cost. */
    readStatus: async ({ customer }: OpenCustomer) => {
      const draft = await store.findDraft(database, customer)
      return { status: customer.status, version: customer.version, revision: draft?.revision ?? 0 }
    },

    /** The address with which the customer continues on another device. */
    linkOf: (opened: OpenCustomer): string => customers.show(opened).verificationLink ?? '',
  }
}

function createDraftOperations(deps: FormDeps) {
  const { database, customers } = deps
  return {
    readState: (opened: OpenCustomer) => readState(deps, opened),

    /**
     * Saves answers as typed, valid or not. Refuses a change that is not based on the newest draft, except the last one of
     * a page that is closing: that changes the newest draft, because the page cannot try again.
     */
    save: async (opened: OpenCustomer, wanted: SentAnswers) => {
      const { page, changes, revision, moves = 0 } = wanted
      const part = findOpenedPart(customers, opened, customers.readIdentity(opened))
      for (const { field } of changes) requireOpened(part, field)
      if (wanted.isLast) {
        requireOpen(opened)
        await changeNewest(deps, opened, ({ draft }) => {
          const isSame = (draft.moves ?? 0) === moves
          return applyChanges(draft, {
            page,
            changes: isSame ? changes : changes.filter(({ field }) => !/\[/.test(field)),
          })
        })
      } else {
        const before = await openDraft(deps, opened, revision)
        const draft = applyChanges(before.draft, { page, changes })
        await database.inTx((tx) => writeDraft(deps, tx, opened, before, draft))
      }
      return readNewState(deps, opened)
    },

    /** Checks and stores a file of the draft. A file is one answer, so the newest one counts. */
    addFile: async (opened: OpenCustomer, { field, moves, mediaType, bytes }: SentFile) => {
      const steps = parsePath(field)
      if (!steps || !isImage(schemaAt(steps))) throw badField('field', 'must name a file of the form')
      requireOpen(opened)
      requireOpened(findOpenedPart(customers, opened, customers.readIdentity(opened)), field)
      requireSamePlaces((await loadDraft(deps, opened)).draft, moves)
      const pieces = [Buffer.from(`data:${mediaType};base64,`), Buffer.from(bytes.toString('base64'))]
      const image = await customers.storeImage(opened, field, pieces)
      const place = ({ draft }: OpenDraft): Draft => {
        requireSamePlaces(draft, moves)
        return { ...draft, identity: placeFile(draft.identity, steps, image) }
      }
      await changeNewest(deps, opened, place, image)
      return readNewState(deps, opened)
    },
  }
}

/** Reads the state after a change. The status may have changed meanwhile, too. */
async function readNewState(deps: FormDeps, opened: OpenCustomer) {
  const { organizationId, customerId } = opened.customer
  return readState(deps, (await deps.customers.open([organizationId], customerId)) ?? opened)
}

function createOutcomeOperations(deps: FormDeps) {
  const { database, customers } = deps
  return {
    /** Submits the draft, through the same service and rules as the API. */
    submit: async (opened: OpenCustomer, revision: number) => {
      const { draft, stored } = await openDraft(deps, opened, revision)
      const { organizationId, customerId } = opened.customer
      const inspect = () => inspectSubmission(submissionOf(draft, stored))
      await customers.change({ organizationIds: [organizationId] }, customerId, inspect, async (tx) => {
        // Without a row there is nothing to empty: the customer submits what the API has sent.
        if (revision > 0 && !(await store.emptyDraft(tx, opened.customer, revision))) throw changedElsewhere()
      })
      return readNewState(deps, opened)
    },

    decide: async (opened: OpenCustomer, decision: SandboxDecision) => {
      if (!deps.decideInSandbox) throw new Refusal('SANDBOX_ONLY', 'This operation exists only in the sandbox')
      await deps.decideInSandbox(opened, decision)
      return readNewState(deps, opened)
    },

    /** Empties drafts that were not changed for 30 days, and lets a worker remove their files. */
    expireDrafts: () =>
      database.inTx(async (tx) => {
        const expired = await store.expireDrafts(tx, draftDays, 500)
        for (const { organizationId, blobIds } of expired) await customers.releaseImages(tx, organizationId, blobIds)
        return { expired: expired.length }
      }),
  }
}
