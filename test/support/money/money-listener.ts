import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, afterEach, expect } from 'vitest'
import type { Event } from '../runner/answers.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { createWebhook, startReceiver } from '../webhooks/receiver.ts'
import { type Deposit, expectVerified, startWithWorkers, type Transaction } from './transactions.ts'

type Message = Omit<Event, 'data'> & { data: Partial<Transaction> & Partial<Deposit> }

const events = ['transaction.created', 'transaction.updated', 'deposit.created', 'deposit.updated']

/** Starts the service with workers and a webhook receiver for this file; after each test it expects full delivery. */
export async function startHeard(settings: Record<string, string> = {}) {
  const api = await startWithWorkers(settings)
  const hears = await listenToMoney(api)
  afterAll(async () => {
    await api.stop()
    hears.close()
  })
  afterEach(hears.expectAllTold)
  return { api, hears }
}

/**
 * An integrator's server that receives every event about money. It verifies each message as an integrator
 * would, with a third-party library; a duplicate counts once.
 */
export async function listenToMoney(api: TestApi) {
  const receiver = await startReceiver()
  const { secret, organizationId } = await createWebhook(api, `${receiver.url}/money`, { events })
  const verifier = new Verifier(secret)
  const messages = new Map<string, Message>()
  let read = 0
  const heard = () => {
    for (const { id, body, headers } of receiver.at('/money').slice(read)) {
      messages.set(id, verifier.verify(body, headers) as Message)
      read += 1
    }
    return [...messages.values()]
  }

  return {
    /** All statuses of a transaction in the order in which they arrived. */
    transaction: ({ transactionId }: Pick<Transaction, 'transactionId'>, statuses: readonly string[]) =>
      eventually(() => {
        const mine = heard().filter(
          ({ type, data }) => isAbout(type, 'transaction') && data.transactionId === transactionId,
        )
        expect(mine.map(({ data }) => data.transactionStatus)).toEqual(statuses)
      }),

    /** The same for a deposit, by the reference of the bank or chain. */
    deposit: (referenceId: string, statuses: readonly string[]) =>
      eventually(() => {
        const mine = heard().filter(({ type, data }) => isAbout(type, 'deposit') && data.referenceId === referenceId)
        expect(mine.map(({ data }) => data.depositStatus)).toEqual(statuses)
      }),

    /** Expects that every event arrived, in order for each resource, and that every invariant holds. */
    expectAllTold: async () => {
      await eventually(async () => {
        const inLog = await api.app.database.query<{ id: string }>({
          text: `select event_id as id from svc.events where organization_id = $1 and type = any($2)`,
          values: [organizationId, events],
        })
        expect(new Set(heard().map(({ id }) => id))).toEqual(new Set(inLog.map(({ id }) => id)))
      })
      const byResource = Map.groupBy(heard(), ({ type, data }) =>
        isAbout(type, 'deposit') ? data.depositId : data.transactionId,
      )
      for (const [resource, told] of byResource) {
        const versions = told.map(({ resourceVersion }) => resourceVersion)
        expect([resource, versions]).toEqual([resource, versions.map((_, index) => index + 1)])
        expect(told.map(({ type }) => type.endsWith('.created'))).toEqual(versions.map((version) => version === 1))
      }
      await expectVerified(api)
    },

    close: receiver.close,
  }
}

function isAbout(type: string, resource: 'transaction' | 'deposit'): boolean {
  return type.startsWith(`${resource}.`)
}
