import { expect, test } from 'vitest'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi()

test('the first key reads its own organization', async () => {
  const { status, body } = await api.get('/organizations')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    organizations: [{ name: 'My organization', tier: 'BUILDER', environment: 'sandbox' }],
    nextPageToken: '',
  })
})
