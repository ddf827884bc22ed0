import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { texts } from '../../../web/forms/texts/words.ts'
import { closeWindow, fakeWindow, loseFirstReply, lostOf, openStore, person } from '../../support/forms/fake-window.ts'

beforeAll(fakeWindow)
afterAll(closeWindow)

const people = (...names: string[]) => ({
  kybData: { associatedPersons: names.map((legalFirstName) => ({ legalFirstName })) },
})

test('a customer who stays writes nothing to the person that took the place of another', async () => {
  const [store, service] = await openStore(people('Ann', 'Bob', 'Cy'))
  service.isOnline = false
  store.set(person(1), 'Bobby')
  store.set('kybData.associatedPersons[2]', undefined)
  await store.flush()
  service.change({ field: 'kybData.associatedPersons[0]', value: null })
  service.isOnline = true
  await store.stay()
  await store.flush()
  expect(service.state.values).toEqual(people('Bob', 'Cy'))
  expect(lostOf(store)).toEqual([`moved ${person(1)}`, 'moved kybData.associatedPersons[2]'])
  expect(store.elsewhere.lost.map(({ label }) => label)).toEqual(['Bobby: First name', texts.removalOf('Cy')])
  expect(store.elsewhere.moves).toBe(1)
})

test('a removal whose save arrived unheard is no change of another device', async () => {
  const [store, service] = await openStore(people('Ann', 'Bob', 'Cy'))
  loseFirstReply(service)
  store.set(person(0), 'Anna')
  store.set('kybData.associatedPersons[1]', undefined)
  await store.flush()
  store.set(person(1), 'Cyd')
  await vi.advanceTimersByTimeAsync(5_000)
  expect([service.state.values, store.state.values]).toEqual([people('Anna', 'Cyd'), people('Anna', 'Cyd')])
  expect([lostOf(store), store.elsewhere.moves, store.hasUnsaved]).toEqual([[], 0, false])
})

test('a removal that was made is not asked for again, also when another device has removed someone else', async () => {
  const [store, service] = await openStore(people('Ann', 'Bob', 'Cy'))
  service.intercept = (method, _, save) => {
    if (method !== 'PATCH' || service.saves.length > 0) return undefined
    service.save(save)
    service.change({ field: 'kybData.associatedPersons[0]', value: null })
    return { status: 503 }
  }
  store.set('kybData.associatedPersons[1]', undefined)
  await store.flush()
  store.set(person(1), 'Cyd')
  await vi.advanceTimersByTimeAsync(5_000)
  expect([service.state.values, lostOf(store)]).toEqual([people('Cy'), [`moved ${person(1)}`]])
})

test('edits before and after the removal of a person reach the persons they were made for', async () => {
  const [store, service] = await openStore(people('Ann', 'Bob', 'Cy'))
  store.set(person(1), 'Bobby')
  store.set('kybData.associatedPersons[0]', undefined)
  store.set(person(1), 'Cynthia')
  await store.flush()
  expect(service.state.values).toEqual(people('Bobby', 'Cynthia'))
  expect([store.state.values, lostOf(store)]).toEqual([people('Bobby', 'Cynthia'), []])
})
