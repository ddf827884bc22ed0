import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sessionMs } from '../../../src/forms/session.ts'
import { idleMs } from '../../../web/forms/model/closing.ts'
import { read } from '../../../web/forms/model/paths.ts'
import { closeWindow, fakeWindow, happen, hear, hide, openStore, toldWindows } from '../../support/forms/fake-window.ts'

beforeAll(fakeWindow)
afterAll(closeWindow)

const website = 'kybData.businessInfo.website'
const firstName = 'kybData.associatedPersons[0].legalFirstName'
const oneOwner = { kybData: { associatedPersons: [{ legalFirstName: 'Ann' }] } }

/** Lets minutes pass, without every poll in them. */
const minutes = (count: number) => {
  vi.setSystemTime(Date.now() + count * 60_000)
  return vi.advanceTimersByTimeAsync(3_000)
}

test('without a connection the page ends by its own clock, and shows no answers', async () => {
  const [store, service] = await openStore(oneOwner)
  await vi.advanceTimersByTimeAsync(3_000)
  service.isOnline = false
  await minutes(29)
  expect(store.isEnded).toBe(false)
  await minutes(2)
  expect(store.isEnded).toBe(true)
  expect(store.state.values).toEqual({})
  expect(idleMs).toBe(sessionMs)
})

test('a page that wakes after the end shows no answers, before it asks anyone', async () => {
  const [store, service] = await openStore(oneOwner)
  service.isOnline = false
  hide('hidden')
  vi.setSystemTime(Date.now() + 3_600_000)
  hide('visible')
  expect(store.isEnded).toBe(true)
})

test('a save moves the end, and another window that renewed the session lets the page continue', async () => {
  const [store, service] = await openStore(oneOwner)
  service.intercept = (_, path) => (path === 'api/status' ? { status: 503 } : undefined)
  await minutes(20)
  store.set(website, 'a.example')
  await store.flush()
  await minutes(20)
  expect(store.isEnded).toBe(false)
  await minutes(11)
  expect([store.isEnded, service.asked.includes('GET verify')]).toEqual([false, true])
  expect(read(store.state.values, firstName)).toBe('Ann')
})

test('a page that was renewed after half a day has the end of its new session', async () => {
  const [store, service] = await openStore(oneOwner)
  await vi.advanceTimersByTimeAsync(3_000)
  await minutes(13 * 60)
  expect(store.isEnded).toBe(false)
  const asked = service.asked.filter((each) => each === 'GET verify').length
  await vi.advanceTimersByTimeAsync(5_000)
  expect(service.asked.filter((each) => each === 'GET verify').length).toBe(asked)
  // Nothing has changed meanwhile.
  expect(store.elsewhere.count).toBe(0)
})

test('leaving without a connection hides the answers at once, and ends the session when it is back', async () => {
  const [store, service] = await openStore(oneOwner)
  store.set(website, 'a.example')
  service.isOnline = false
  const left = store.leave()
  expect([store.isEnded, read(store.state.values, firstName)]).toEqual([true, undefined])
  await left
  expect([store.isLeaving, store.hasUnsaved, service.session]).toEqual([true, true, 'this form'])
  expect(toldWindows()).toEqual(['opened', 'leaving'])
  service.isOnline = true
  await vi.advanceTimersByTimeAsync(20_000)
  expect([store.isLeaving, store.hasUnsaved, service.session]).toEqual([false, false, 'none'])
  expect(service.saves.map(({ changes }) => changes)).toEqual([[{ field: website, value: 'a.example' }]])
  expect(toldWindows()).toEqual(['opened', 'leaving', 'left'])
  expect(store.state.values).toEqual({})
})

test('leaving ends the session that the link has opened anew, and never that of another form', async () => {
  const [store, service] = await openStore({})
  service.isTokenOld = true
  await store.leave()
  expect([store.isLeaving, service.session]).toEqual([false, 'none'])
  expect(toldWindows()).toContain('left')
  const [other, busy] = await openStore({})
  busy.session = 'another form'
  await other.leave()
  expect([other.isEnded, other.isLeaving, busy.session]).toEqual([true, false, 'another form'])
  expect(toldWindows()).not.toContain('left')
})

test('a window follows one of the same form that leaves, and no other', async () => {
  const [store] = await openStore({})
  hear('left', 'another form')
  expect(store.isEnded).toBe(false)
  hear('leaving')
  expect(store.isEnded).toBe(true)
})

test('a window whose session was opened anew tries more than once to save', async () => {
  const [store, service] = await openStore({})
  service.session = 'none'
  store.set(website, 'a.example')
  await store.flush()
  service.session = 'this form'
  service.isOnline = false
  hear('opened')
  await vi.advanceTimersByTimeAsync(1_500)
  service.isOnline = true
  await vi.advanceTimersByTimeAsync(5_000)
  expect([store.isEnded, read(service.state.values, website)]).toEqual([false, 'a.example'])
})

test('a page that shows no answers does not move the place of the customer', async () => {
  const [store, service] = await openStore(oneOwner, { page: 'person-1-name' })
  store.set(website, 'a.example')
  const left = store.leave()
  // Without the answers there is no page of this person.
  store.setPage('people')
  await left
  expect([service.session, service.saves.map(({ page }) => page)]).toEqual(['none', [undefined]])
})

test('a page without a customer before it asks for its session only after the end of it', async () => {
  const [store, service] = await openStore(oneOwner)
  const { atMs = 0 } = store.closing ?? {}
  vi.setSystemTime(atMs + 999)
  happen('pageshow')
  expect([store.isEnded, service.asked.includes('GET verify')]).toEqual([false, false])
  vi.setSystemTime(atMs + 1_000)
  happen('pageshow')
  expect([store.isEnded, service.asked.includes('GET verify')]).toEqual([true, true])
})
