import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, afterEach, expect } from 'vitest'
import type { Event } from '../runner/answers.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { createWebhook, startReceiver } from '../webhooks/receiver.ts'
import { type Deposit, expectVerified, startWithWorkers, type Transaction } from './transactions.ts'

type Message = Omit<Event, 'data'> & { data: Partial<Transaction> & Partial<Deposit> }

const events = ['transaction.created', 'transaction.updated', 'deposit.created', 'deposit.updated']

/** The service with its workers and a webhook receiver, until the end of the file; after each test all was delivered. */
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
 * An integrator's server that is told of everything that happens to money. Each message is verified as the integrator
 * would, by a library that is not ours; what came twice counts once.
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
    /** The statuses of a transaction in the order in which they arrived, from the beginning. */
    transaction: ({ transactionId }: Pick<Transaction, 'transactionId'>, statuses: readonly string[]) =>
      eventually(() => {
        const mine = heard().filter(
          ({ type, data }) => isAbout(type, 'transaction') && data.transactionId === transactionId,
        )
        expect(mine.map(({ data }) => data.transactionStatus)).toEqual(statuses)
      }),

    /** The same of a deposit, by the name that the bank or chain has for it. */
    deposit: (referenceId: string, statuses: readonly string[]) =>
      eventually(() => {
        const mine = heard().filter(({ type, data }) => isAbout(type, 'deposit') && data.referenceId === referenceId)
        expect(mine.map(({ data }) => data.depositStatus)).toEqual(statuses)
      }),

    /** After each story: all that is in the organization's log arrived, in order for each resource, and every invariant holds. */
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
