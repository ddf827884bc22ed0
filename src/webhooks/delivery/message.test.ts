import { expect, test } from 'vitest'
import { newId } from '../../lib/ids.ts'
import { writeMessage } from './message.ts'

test('a message is the event as GET /events shows it, with its stored data passed through', () => {
  const ids = { eventId: newId(), organizationId: newId() }
  const about = { type: 'customer.created', apiVersion: '2025-11-21', resourceVersion: 3 } as const
  const resourceId = newId()
  const createdAt = new Date('2025-11-21T10:00:00.123Z')
  const data = '{"b":1,"a":"☃ \\"quoted\\"","amount":"1.00"}'
  const body = writeMessage({ ...ids, ...about, resourceId, createdAt, sequence: '9007199254740993', data })
  expect(body).toBe(
    `{"id":"${ids.eventId}","eventId":"${ids.eventId}","type":"customer.created","resourceType":"customer",` +
      `"resourceId":"${resourceId}","apiVersion":"2025-11-21","createdAt":"2025-11-21T10:00:00.123Z",` +
      `"organizationId":"${ids.organizationId}","sequence":9007199254740993,"resourceVersion":3,"data":${data}}`,
  )
})
