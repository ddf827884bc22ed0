import { expect, test } from 'vitest'
import { type RouteWork, unitsOf } from './work.ts'

const megabyte = 1024 * 1024
const filtered = { isFiltered: true }

test.each([
  // query                           content-length      route                                 units
  [{}, undefined, {}, 1],
  [{ pageSize: '1' }, undefined, {}, 1],
  [{ pageSize: '25' }, undefined, {}, 1],
  [{ pageSize: '26' }, undefined, {}, 2],
  [{ pageSize: '100' }, undefined, {}, 4],
  [{ pageSize: '999' }, undefined, {}, 4],
  [{ pageSize: '-5' }, undefined, {}, 1],
  [{ pageSize: ['1', '100'] }, undefined, {}, 1],
  [{}, megabyte - 1, {}, 1],
  [{}, 3 * megabyte, {}, 4],
  [{}, 100 * megabyte, {}, 101],
  [{}, undefined, { units: 5 }, 5],
  [{ actor: 'a' }, undefined, filtered, 5],
  [{ act: 'b' }, undefined, filtered, 5],
  [{ actor: 'a', act: 'b' }, undefined, filtered, 5],
  [{ actor: 'a' }, undefined, {}, 1],
  [{ status: 'a' }, undefined, filtered, 1],
  [{ customerId: 'a' }, undefined, filtered, 1],
  [{ customerId: 'a', status: 'b' }, undefined, filtered, 5],
  [{ customerId: 'a', externalId: 'b' }, undefined, filtered, 5],
  [{ customerId: 'a', paymentAccountId: 'b' }, undefined, filtered, 1],
  [{ customerId: 'a', paymentAccountId: 'b', status: 'c' }, undefined, filtered, 5],
  [{ organizationId: 'a', customerId: 'b', pageSize: '25', pageToken: 'c' }, undefined, filtered, 1],
  [{ expand: 'quote' }, undefined, filtered, 5],
  [{ customerId: 'a', status: 'b', expand: 'quote' }, undefined, filtered, 5],
  [{}, undefined, { unitsOfAll: 10 }, 10],
  [{ pageSize: '10' }, undefined, { unitsOfAll: 10 }, 1],
  [{ pageToken: 'a' }, undefined, { unitsOfAll: 10 }, 1],
  [{ customerId: 'a' }, undefined, { unitsOfAll: 10, isFiltered: true }, 10],
  [{ customerId: 'a', status: 'b' }, undefined, { unitsOfAll: 10, isFiltered: true }, 14],
  [{ act: 'b', pageSize: '100' }, undefined, filtered, 8],
] as const)('%j with %s bytes to %j costs %s', (query, length, work, units) => {
  const headers = length === undefined ? {} : { 'content-length': String(length) }
  expect(unitsOf({ query, headers }, work as RouteWork)).toBe(units)
})
