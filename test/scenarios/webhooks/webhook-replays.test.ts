import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { readWebhook } from '../../support/webhooks/receiver.ts'
import { minute, patience, second, startStories } from '../../support/webhooks/webhook-stories.ts'

const { begin } = await startStories({ SVC_WEBHOOK_REPLAY_RATE: '1000' })

/** A webhook that has received some events, which are then replayed while its endpoint holds each replay. */
async function startReplay(count: number) {
  const story = await begin()
  const held: ServerResponse[] = []
  const known = new Set<string>()
  let answer = (response: ServerResponse): unknown => held.push(response)
  const hook = await story.hook((request, response) => {
    const isReplay = known.has(request.id)
    known.add(request.id)
    return isReplay ? answer(response) : response.writeHead(204).end()
  })
  const ids = await story.emit(Array.from({ length: count }, () => ({})))
  await expect.poll(() => new Set(hook.heard()), patience).toEqual(new Set(ids))
  const { webhookId } = hook.webhook
  const replayed = await story.api.post('/events/replay', { webhookId, fromSequence: 1 })
  expect(replayed.body).toMatchObject({ count })
  await expect.poll(() => held, patience).toHaveLength(1)
  const letGo = (next: typeof answer) => {
    answer = next
    for (const response of held.splice(0)) next(response)
  }
  return { ...story, ...hook, ids, held, letGo, replays: () => hook.heard().slice(count) }
}

test('replays are sent one at a time, and live events do not wait for them', async () => {
  const { emit, heard, ids, held, letGo, replays } = await startReplay(60)
  const live = await emit(Array.from({ length: 40 }, () => ({})))
  // One replay is held by the endpoint all the while.
  await expect.poll(() => replays().slice(1).sort(), patience).toEqual([...live].sort())
  expect(held).toHaveLength(1)
  letGo((response) => response.writeHead(204).end())
  await expect.poll(() => heard(), patience).toHaveLength(160)
  expect(replays().filter((id) => !live.includes(id))).toEqual(ids)
})

test('an endpoint that fails a replay pauses the others for as long as it asks, and no live event', async () => {
  const { api, webhook, emit, advance, replays, ids, letGo, untilDueIsSent } = await startReplay(30)
  letGo((response) => response.writeHead(429, { 'retry-after': '60' }).end())
  const live = await emit([{}, {}])
  await expect.poll(() => replays().sort(), patience).toEqual([ids[0], ...live].sort())
  await untilDueIsSent()
  await advance(10 * second)
  await untilDueIsSent()
  expect(replays()).toHaveLength(3)
  letGo((response) => response.writeHead(204).end())
  await advance(minute)
  await expect.poll(() => new Set(replays().slice(3)), patience).toEqual(new Set(ids))
  expect(await readWebhook(api, webhook)).toMatchObject({ status: 'ENABLED' })
})
