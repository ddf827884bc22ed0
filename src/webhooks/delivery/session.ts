import { setTimeout as sleep } from 'node:timers/promises'
import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Queryable, Tx } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import { disable } from '../disable.ts'
import { destroyUnusedKey } from '../notices/service.ts'
import type { OnPoint } from '../ports.ts'
import { openKeys } from '../secrets/signing-keys.ts'
import { type DisabledReason, failuresThatOpenCircuit } from '../webhook.ts'
import { countAttempts, type Health, recordAttempts, type WebhookState } from './attempt-store.ts'
import { proveEndpoint } from './challenges/proof.ts'
import { type DispatchSteps, dispatch } from './dispatcher.ts'
import {
  type EndpointWorkerOptions,
  type OpenDelivery,
  openDeliveries,
  type SentDelivery,
  sendDelivery,
} from './endpoint-worker.ts'
import { type Outcome, unsendableReasons } from './outcome.ts'
import { createPace, type Pace, pauseAfter } from './pace.ts'
import * as store from './session-store.ts'

export type SessionOptions = EndpointWorkerOptions & {
  database: Database
  audit: Audit
  leaseMs: number
  /** An endpoint that takes longer than this to answer is slow. */
  slowAfterMs: number
  /** The most events a second that one webhook receives from replays. */
  replaysPerSecond: number
  /** How many attempts Svc keeps for an organization. */
  mostAttempts: number
  onOutcome(outcome: Outcome): void
  onPoint: OnPoint
}

type SessionHooks = {
  shouldStop(): boolean
  /** Called when requests are in flight and none was answered for `slowAfterMs`. */
  onSilence(): void
}

/** Limits the concurrent requests to one webhook. */
const maxConcurrency = 16

/** While replays are sent, live deliveries are looked for this often. */
const lookForLiveMs = 200

/** A session that waits for its pace looks this often whether it must stop. */
const stopNoticedWithinMs = 50

/**
 * Sends the due deliveries of one claimed webhook until none is due, the webhook changes or fails too often, or the
 * worker stops the session. A PENDING webhook gets its challenge instead, and a notice its one delivery. A worker that
 * loses the lease records nothing; the next holder of the lease retries those deliveries.
 */
export async function runSession(
  options: SessionOptions,
  webhook: store.ClaimedWebhook,
  { shouldStop, onSilence }: SessionHooks,
): Promise<void> {
  const { database, leaseMs } = options
  let isLeaseLost = false
  const renew = async () => {
    isLeaseLost ||= !(await store.renewLease(database, webhook, leaseMs))
  }
  const renewTimer = setInterval(() => void renew().catch(() => {}), leaseMs / 3)
  const silence = watchSilence(options.slowAfterMs, onSilence)
  try {
    if (webhook.status === 'PENDING') return await silence.during(() => proveEndpoint(options, webhook))
    const keys = await openKeys(options, webhook)
    if (!keys) return
    const isStopping = () => isLeaseLost || hasExpired(webhook, options) || shouldStop()
    await sendAll(createSender(options, webhook, keys, { isStopping, during: silence.during }))
    if (await endSession(options, webhook)) await dropOldAttempts(options, webhook)
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
    options.onPoint('lease lost')
  } finally {
    clearInterval(renewTimer)
    silence.stop()
  }
}

/** Ends the session. True when that was the last one of a notice. */
async function endSession({ database, vault }: SessionOptions, webhook: store.ClaimedWebhook): Promise<boolean> {
  return database.inTx(async (tx) => {
    const dueAt = await store.endSession(tx, webhook)
    const isEnd = webhook.status === 'DELETED' && dueAt === null
    if (isEnd) await destroyUnusedKey(tx, vault, webhook)
    return isEnd
  })
}

/** Calls `onSilence` when requests are in flight and none was answered for this time. */
function watchSilence(afterMs: number, onSilence: () => void) {
  let requestsInFlight = 0
  const timer = setTimeout(() => requestsInFlight > 0 && onSilence(), afterMs)
  return {
    during: async <Result>(request: () => Promise<Result>): Promise<Result> => {
      if (requestsInFlight === 0) timer.refresh()
      requestsInFlight += 1
      let result: Result
      try {
        result = await request()
      } finally {
        requestsInFlight -= 1
      }
      timer.refresh()
      return result
    },
    stop: () => clearTimeout(timer),
  }
}

type Sender = ReturnType<typeof createSender>

/** Sends the deliveries of one kind at a time or both together; both share the health of the endpoint. */
function createSender(
  options: SessionOptions,
  webhook: store.ClaimedWebhook,
  keys: NonNullable<Awaited<ReturnType<typeof openKeys>>>,
  { isStopping, during }: { isStopping(): boolean; during: ReturnType<typeof watchSilence>['during'] },
) {
  const { database, vault } = options
  const pace = createPace(options.replaysPerSecond)
  let { circuit } = webhook
  let failuresInARow = 0
  let sentCount = 0
  let hasEnded = false
  let hasFailedReplay = false
  const shouldStop = () =>
    hasEnded || isStopping() || failuresInARow >= (circuit === 'OPEN' ? 1 : failuresThatOpenCircuit)

  const send = async (delivery: OpenDelivery) => {
    sentCount += 1
    const sent = await during(() => sendDelivery(options, webhook, keys, delivery))
    if (sent && concernsEndpoint(sent)) failuresInARow = sent.outcome === 'DELIVERED' ? 0 : failuresInARow + 1
    options.onPoint('sent')
    return sent
  }
  const sendReplay = async (delivery: OpenDelivery) => {
    const sent = await sendPaced(pace, shouldStop, () => send(delivery))
    hasFailedReplay ||= sent !== undefined && isFailure(sent)
    return sent
  }
  const stepsOf = (kind: store.DeliveryKind): DispatchSteps<OpenDelivery, SentDelivery> => ({
    keyOf: ({ deliveryId }) => deliveryId,
    read: async (inFlight, limit) =>
      openDeliveries(vault, webhook, await store.readDue(database, webhook, kind, inFlight, limit)),
    send: (delivery) => (kind === 'live' ? send(delivery) : sendReplay(delivery)),
    record: async (sent) => {
      const state = await record(options, webhook, kind, sent)
      circuit = state.circuit
      options.onPoint('recorded')
      if (state.uncounted >= countedAtOnce(options.mostAttempts)) await dropOldAttempts(options, webhook)
      hasEnded ||= state.status !== webhook.status || state.revision !== webhook.revision || circuit !== 'CLOSED'
      return !hasEnded
    },
    // While the circuit is open, one delivery at a time probes the endpoint.
    concurrency: () => (kind === 'replay' || circuit === 'OPEN' ? 1 : maxConcurrency),
    // A failed replay pauses the others.
    shouldStop: () => shouldStop() || (kind === 'replay' && hasFailedReplay),
  })
  const run = (kind: store.DeliveryKind) =>
    dispatch(stepsOf(kind)).catch((error: unknown) => {
      hasEnded = true
      throw error
    })
  return {
    run,
    shouldStop,
    mayHaveReplays: webhook.replays > 0,
    isProbing: () => circuit === 'OPEN',
    hasSent: () => sentCount > 0,
  }
}

/** Sends live deliveries as they become due, and replays beside them. */
async function sendAll({ run, shouldStop, mayHaveReplays, isProbing, hasSent }: Sender): Promise<void> {
  if (!mayHaveReplays) return run('live')
  if (isProbing()) {
    await run('live')
    if (!hasSent()) await run('replay')
    return
  }
  let isReplaying = true
  const replays = run('replay').finally(() => (isReplaying = false))
  const sendLive = async () => {
    do {
      await run('live')
      if (isReplaying) await Promise.race([replays, sleep(lookForLiveMs)])
    } while (isReplaying && !shouldStop())
  }
  const [sentLive, sentReplays] = await Promise.allSettled([sendLive(), replays])
  for (const sent of [sentLive, sentReplays]) if (sent.status === 'rejected') throw sent.reason
}

/** Sends when the pace allows it. Undefined when the session must stop before. */
async function sendPaced(
  pace: Pace,
  shouldStop: () => boolean,
  send: () => Promise<SentDelivery | undefined>,
): Promise<SentDelivery | undefined> {
  for (let delayMs = pace.delayMs(performance.now()); delayMs > 0; delayMs = pace.delayMs(performance.now())) {
    if (shouldStop()) return undefined
    await sleep(Math.min(delayMs, stopNoticedWithinMs))
  }
  const startedAtMs = performance.now()
  return send().finally(() => pace.answered(startedAtMs, performance.now()))
}

/** Tells whether the key that answers for the webhook has expired during the session. */
function hasExpired({ makerExpiresAt }: store.ClaimedWebhook, { nowMs }: SessionOptions): boolean {
  return makerExpiresAt !== null && makerExpiresAt.getTime() <= nowMs()
}

/** Webhooks count up to a hundred attempts at once. A hundred webhooks together exceed the quota by 1 percent at most. */
function countedAtOnce(mostAttempts: number): number {
  return Math.min(100, Math.ceil(mostAttempts / 10_000))
}

const droppedAtOnce = 1_000

/** Counts the attempts, and deletes the oldest of the organization beyond its quota. */
async function dropOldAttempts(
  { database, mostAttempts }: SessionOptions,
  webhook: store.ClaimedWebhook,
): Promise<void> {
  let dropped: number
  do dropped = await countAttempts(database, webhook, mostAttempts, droppedAtOnce)
  while (dropped === droppedAtOnce)
}

/** Records the attempts. When the webhook must be disabled, does so with its event and audit entry. */
async function record(
  { database, audit, leaseMs, slowAfterMs, onOutcome }: SessionOptions,
  webhook: store.ClaimedWebhook,
  kind: store.DeliveryKind,
  sent: readonly SentDelivery[],
): Promise<WebhookState> {
  for (const { outcome } of sent) onOutcome(outcome)
  const health = { ...healthOf(sent, slowAfterMs), replayPauseMs: kind === 'replay' ? replayPauseOf(sent) : null }
  const write = (queryable: Queryable) => recordAttempts(queryable, webhook, health, sent, leaseMs)
  const disableFor = async (tx: Tx, state: WebhookState, reason: DisabledReason) => {
    const disabled = await disable(tx, audit, webhook, { reason, actor: 'worker' })
    return { ...state, status: disabled?.status ?? state.status }
  }
  if (sent.some((each) => each.isGone)) {
    return database.inTx(async (tx) => disableFor(tx, await write(tx), 'GONE'))
  }
  const state = await write(database)
  if (!state.isFailingTooLong) return state
  // If the worker dies here, the next failed attempt disables the webhook.
  return database.inTx((tx) => disableFor(tx, state, 'FAILING'))
}

/** An event that cannot be opened says nothing about the endpoint. */
function concernsEndpoint({ outcome }: SentDelivery): boolean {
  return !(outcome in unsendableReasons)
}

function isFailure(sent: SentDelivery): boolean {
  return concernsEndpoint(sent) && sent.outcome !== 'DELIVERED'
}

function replayPauseOf(sent: readonly SentDelivery[]): number | null {
  const failures = sent.filter(isFailure)
  return failures.length === 0 ? null : Math.max(...failures.map(({ retryAfterMs }) => pauseAfter(retryAfterMs)))
}

function healthOf(sent: readonly SentDelivery[], slowAfterMs: number): Omit<Health, 'replayPauseMs'> {
  const attempts = sent.filter(concernsEndpoint)
  const lastSuccess = attempts.findLastIndex(({ outcome }) => outcome === 'DELIVERED')
  return {
    hasSuccess: lastSuccess >= 0,
    failuresSince: attempts.length - 1 - lastSuccess,
    isSlow: attempts.length === 0 ? null : attempts.some(({ durationMs }) => durationMs > slowAfterMs),
  }
}
