import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { read } from '../../../web/forms/model/paths.ts'
import { texts } from '../../../web/forms/texts/words.ts'
import {
  closeWindow,
  fakeWindow,
  happen,
  hide,
  loseFirstReply,
  lostOf,
  openStore,
  person,
  type Store,
} from '../../support/forms/fake-window.ts'

beforeAll(fakeWindow)
afterAll(closeWindow)

const website = 'kybData.businessInfo.website'

test('a window that wakes late gives up what another device has answered since, and tells it', async () => {
  const [store, service] = await openStore({})
  service.session = 'none'
  store.set(website, 'old.example')
  store.set('kybData.businessInfo.dbaName', 'Example')
  await store.flush()
  expect([store.isEnded, store.hasUnsaved]).toEqual([true, true])
  service.change({ field: website, value: 'new.example' })
  service.session = 'this form'
  await store.resume()
  expect(read(service.state.values, website)).toBe('new.example')
  expect(read(service.state.values, 'kybData.businessInfo.dbaName')).toBe('Example')
  expect(lostOf(store)).toEqual([`changed ${website}`])
})

test('an answer whose save arrived unheard is no change of another device', async () => {
  const [store, service] = await openStore({})
  loseFirstReply(service)
  store.set(website, 'a.ex')
  await store.flush()
  store.set(website, 'a.example')
  await vi.advanceTimersByTimeAsync(5_000)
  expect([read(service.state.values, website), lostOf(store)]).toEqual(['a.example', []])
})

test('hidden numbers are compared by their marks, and own ones are not lost', async () => {
  const number = 'kycData.nationalIdNumber'
  const [store, service] = await openStore({}, { given: [number], marks: { [number]: 'one' } })
  const remark = (mark: string) => {
    service.state = { ...service.state, values: {}, marks: { [number]: mark }, revision: service.state.revision + 1 }
  }
  service.intercept = (method, _, save) => {
    if (method !== 'PATCH' || save.revision !== service.state.revision) return undefined
    service.saves.push(save)
    remark('own')
    return { status: 200, body: service.state }
  }
  store.set(number, '123')
  const first = store.flush()
  store.set(number, '123456')
  await first
  await store.flush()
  expect([service.saves.at(-1)?.changes, lostOf(store)]).toEqual([[{ field: number, value: '123456' }], []])
  remark('of another device')
  store.set(number, '1234567')
  await store.flush()
  expect([service.saves.length, lostOf(store)]).toEqual([2, [`changed ${number}`]])
})

test('a hidden number whose save arrived unheard is no change of another device', async () => {
  const number = 'kycData.nationalIdNumber'
  const [store, service] = await openStore({}, { given: [number], marks: { [number]: 'one' } })
  service.intercept = (method, _, save) => {
    if (method !== 'PATCH' || save.revision !== service.state.revision) return undefined
    service.saves.push(save)
    const { revision } = service.state
    service.state = { ...service.state, marks: { [number]: `own ${revision}` }, revision: revision + 1 }
    return service.saves.length === 1 ? { status: 503 } : { status: 200, body: service.state }
  }
  store.set(number, '123')
  await store.flush()
  store.set(number, '123456')
  await vi.advanceTimersByTimeAsync(5_000)
  expect([service.saves.at(-1)?.changes, lostOf(store)]).toEqual([[{ field: number, value: '123456' }], []])
  expect(store.hasUnsaved).toBe(false)
})

test('what was typed for a former submission is given up, and told', async () => {
  const [store, service] = await openStore({}, { status: 'NEEDS_ADDITIONAL_INFORMATION', submission: 1 })
  service.isOnline = false
  store.set(website, 'old.example')
  await store.flush()
  service.state = { ...service.state, submission: 2, revision: 9 }
  service.isOnline = true
  await vi.advanceTimersByTimeAsync(5_000)
  expect([service.saves, lostOf(store)]).toEqual([[], [`sent ${website}`]])
})

test('a form that is locked tells what it did not take', async () => {
  const [store, service] = await openStore({})
  service.intercept = (method) => {
    if (method !== 'PATCH') return undefined
    service.state = { ...service.state, status: 'UNDER_REVIEW', values: {}, submission: 1, revision: 9 }
    return { status: 409, body: { error: 'PATCH_NOT_ALLOWED' } }
  }
  store.set(website, 'a.example')
  await store.flush()
  expect([store.state.status, lostOf(store)]).toEqual(['UNDER_REVIEW', [`sent ${website}`]])
})

test('a save that fails late does not bring back the text before the last save of the page', async () => {
  const [store, service] = await openStore({})
  const held = Promise.withResolvers<{ status: number }>()
  service.intercept = (method, _, save) => (method === 'PATCH' && !save.isLast ? held.promise : undefined)
  store.set(website, 'a.ex')
  const first = store.flush()
  store.set(website, 'a.example')
  hide('hidden')
  await vi.advanceTimersByTimeAsync(1)
  expect(service.saves.length).toBe(1)
  service.intercept = undefined
  held.resolve({ status: 503 })
  await first
  hide('visible')
  await vi.advanceTimersByTimeAsync(5_000)
  expect([read(service.state.values, website), read(store.state.values, website)]).toEqual(['a.example', 'a.example'])
  expect(store.hasUnsaved).toBe(false)
})

test.each(['arrives late', 'fails'])('a last save that %s does not replace what was typed after it', async (end) => {
  const [store, service] = await openStore({})
  const held = Promise.withResolvers<{ status: number } | undefined>()
  service.intercept = (_, __, save) => (save.isLast ? held.promise : undefined)
  store.set(website, 'a.ex')
  hide('hidden')
  hide('visible')
  store.set(website, 'a.example')
  let isFlushed = false
  const flushed = store.flush().then(() => (isFlushed = true))
  await vi.advanceTimersByTimeAsync(5_000)
  // A submission would wait for it as well.
  expect([isFlushed, store.saveStatus]).toEqual([false, 'waiting'])
  held.resolve(end === 'fails' ? { status: 503 } : undefined)
  await flushed
  expect([read(service.state.values, website), read(store.state.values, website)]).toEqual(['a.example', 'a.example'])
  expect([store.hasUnsaved, store.saveStatus, lostOf(store)]).toEqual([false, 'saved', []])
})

test('a last save alone is waited for', async () => {
  const [store, service] = await openStore({})
  const held = Promise.withResolvers<undefined>()
  service.intercept = (_, __, save) => (save.isLast ? held.promise : undefined)
  store.set(website, 'a.example')
  hide('hidden')
  hide('visible')
  const flushed = store.flush()
  expect(store.saveStatus).toBe('saving')
  held.resolve(undefined)
  await flushed
  expect([store.saveStatus, service.saves.length]).toEqual(['saved', 1])
})

test('many changes are sent in several saves', async () => {
  const [store, service] = await openStore({})
  service.intercept = (method, _, { changes }) =>
    method === 'PATCH' && changes.length > 200 ? { status: 400, body: { details: [{ field: 'changes' }] } } : undefined
  for (let at = 0; at < 250; at++) store.set(`kybData.field${at}`, 'x')
  await store.flush()
  expect(service.saves.reduce((count, { changes }) => count + changes.length, 0)).toBe(250)
  expect([store.saveStatus, Object.keys(service.state.values.kybData as object).length]).toEqual(['saved', 250])
})

test('a refusal that names no answer takes the refused one alone', async () => {
  const [store, service] = await openStore({})
  service.intercept = (method, _, { changes }) =>
    method === 'PATCH' && changes.some(({ field }) => field === 'kybData.field7')
      ? { status: 400, body: { details: [{ field: 'changes' }] } }
      : undefined
  for (let at = 0; at < 20; at++) store.set(`kybData.field${at}`, 'x')
  await store.flush()
  expect(Object.keys(service.state.values.kybData as object).length).toBe(19)
  expect(store.state.problems.map(({ field, kind }) => `${kind} ${field}`)).toEqual(['refused kybData.field7'])
})

test('answers that are refused one after the other are all told', async () => {
  const [store, service] = await openStore({})
  service.intercept = (method, _, { changes = [] }) =>
    method === 'PATCH' && changes[0] ? { status: 400, body: { details: [{ field: changes[0].field }] } } : undefined
  store.set(website, 'a')
  store.set('kybData.businessInfo.dbaName', 'b')
  await store.flush()
  expect(store.state.problems.map(({ field }) => field)).toEqual([website, 'kybData.businessInfo.dbaName'])
})

test('nothing is submitted right after answers were given up', async () => {
  const address: string = '../../../web/forms/model/pending-files.ts'
  const { finish } = (await import(address)) as { finish(store: Store, fields: readonly string[]): Promise<boolean> }
  const [store, service] = await openStore({})
  store.set(website, 'a.example')
  expect(await finish(store, [website])).toBe(true)
  service.change({ field: website, value: 'new.example' })
  store.set(website, 'old.example')
  expect(await finish(store, [website])).toBe(false)
  expect([store.saveStatus, lostOf(store)]).toEqual(['saved', [`changed ${website}`]])
  expect(await finish(store, [website])).toBe(true)
})

test('a refusal keeps the correction that was typed meanwhile', async () => {
  const [store, service] = await openStore({ kybData: { businessInfo: { website: 'a.example' } } })
  service.intercept = (method, _, { changes }) =>
    method === 'PATCH' && changes.some(({ value }) => value === 'wrong')
      ? { status: 400, body: { details: [{ field: website }] } }
      : undefined
  store.set(website, 'wrong')
  const flushed = store.flush()
  store.set(website, 'right.example')
  await flushed
  expect([read(service.state.values, website), store.state.problems, lostOf(store)]).toEqual(['right.example', [], []])
})

test('a refused answer that the customer leaves as it is blocks no longer', async () => {
  const [store, service] = await openStore({})
  service.intercept = (method) =>
    method === 'PATCH' ? { status: 400, body: { details: [{ field: website }] } } : undefined
  store.set(website, 'wrong')
  await store.flush()
  store.confirm(['kybData.businessInfo.dbaName'])
  expect(store.state.problems.map(({ field }) => field)).toEqual([website])
  store.confirm([website])
  expect(store.state.problems).toEqual([])
})

test('what is typed while newer answers are loaded is no change of another device', async () => {
  const [store, service] = await openStore({})
  const held = Promise.withResolvers<undefined>()
  service.intercept = (_, path) => (path === 'api/state' ? held.promise : undefined)
  service.state = { ...service.state, revision: 6 }
  await vi.advanceTimersByTimeAsync(3_000)
  expect(service.asked).toContain('GET api/state')
  store.set(website, 'a.example')
  held.resolve(undefined)
  await vi.advanceTimersByTimeAsync(1_000)
  expect([store.elsewhere.count, read(service.state.values, website)]).toEqual([0, 'a.example'])
})

test('a save that takes long is told, and the browser asks before the page is closed', async () => {
  const [store, service] = await openStore({})
  service.intercept = (method) => (method === 'PATCH' ? new Promise<undefined>(() => {}) : undefined)
  store.set(website, 'a.example')
  void store.flush()
  expect([store.saveStatus, happen('beforeunload')]).toEqual(['saving', false])
  await vi.advanceTimersByTimeAsync(5_000)
  expect([store.saveStatus, happen('beforeunload')]).toEqual(['waiting', true])
})

test('the last save of a window that has slept does not replace what another device has answered', async () => {
  const [store, service] = await openStore({})
  hide('hidden')
  vi.setSystemTime(Date.now() + 600_000)
  service.change({ field: website, value: 'new.example' })
  store.set(website, 'old.example')
  hide('hidden')
  await vi.advanceTimersByTimeAsync(1)
  expect(lostOf(store)).toEqual([`changed ${website}`])
  expect(read(service.state.values, website)).toBe('new.example')
})

test('a refusal of fields without a label is told in general words', async () => {
  const load = (name: string) => import(`../../../web/forms/model/${name}.ts`)
  const { sayRefusal } = await load('refusals')
  const { ApiError } = await load('api')
  const say = (...fields: string[]) =>
    sayRefusal(
      new ApiError(
        400,
        'BAD_REQUEST',
        '',
        fields.map((field) => ({ field })),
      ),
      {},
    )
  expect(say('changes')).toBe(texts.refusals.OTHER)
  expect(say('changes', person(1, 'dateOfBirth'))).toBe(texts.refusedFields('Person 2: Date of birth'))
})
