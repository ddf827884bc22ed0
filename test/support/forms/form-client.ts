import { expect } from 'vitest'
import type { FormState } from '../../../src/forms/state.ts'

export type FormAnswer = { status: number; headers: Headers; body: FormState & { error?: string; link?: string } }

/** A hosted form as its script uses it, without a browser. */
export type FormClient = {
  cookie: string
  token: string
  page: { status: number; headers: Headers; text: string }
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<FormAnswer>
  upload(field: string, bytes: Buffer, options?: { type?: string; moves?: number }): Promise<FormAnswer>
}

/** Exchanges a link for a session and loads the page. `headers` are those that a proxy would add. */
export async function openFormClient(link: string, headers: Record<string, string> = {}): Promise<FormClient> {
  const { origin } = new URL(link)
  const exchanged = await fetch(link, { redirect: 'manual', headers })
  expect(exchanged.status).toBe(303)
  const cookie = exchanged.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const shown = await fetch(origin + exchanged.headers.get('location'), { headers: { ...headers, cookie } })
  const page = { status: shown.status, headers: shown.headers, text: await shown.text() }
  const token = /name="form-token" content="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const send = async (
    method: string,
    path: string,
    body: string | Uint8Array<ArrayBuffer> | undefined,
    more: Record<string, string>,
  ) => {
    const response = await fetch(`${origin}/forms/api/${path}`, {
      method,
      headers: { ...headers, cookie, origin, 'x-form-token': token, ...more },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : {}) as FormAnswer['body'],
    }
  }
  return {
    cookie,
    token,
    page,
    call: (method, path, body, more = {}) =>
      send(method, path, body === undefined ? undefined : JSON.stringify(body), more),
    upload: (field, bytes, { type = 'image/jpeg', moves = 0 } = {}) =>
      send('POST', `files?field=${encodeURIComponent(field)}&moves=${moves}`, new Uint8Array(bytes), {
        'content-type': type,
      }),
  }
}

/** Saves answers on top of the newest draft. */
export async function saveAnswers(form: FormClient, answers: Record<string, unknown>): Promise<FormAnswer> {
  const { revision } = (await form.call('GET', 'state')).body
  const changes = Object.entries(answers).map(([field, value]) => ({ field, value }))
  return form.call('PATCH', 'draft', { revision, changes })
}

/** Answers of an individual that are complete but for the picture. */
export const individualAnswers = {
  'kycData.address.countryCode': 'US',
  'kycData.nationality': 'US',
  'kycData.legalFirstName': 'Ada',
  'kycData.legalLastName': 'Example',
  'kycData.dateOfBirth': '1990-05-17',
  'kycData.phoneNumber': '+1 415 555 0123',
  'kycData.address.streetLine1': '548 Market Street',
  'kycData.address.city': 'San Francisco',
  'kycData.address.stateRegionProvince': 'CA',
  'kycData.address.postalCode': '94104',
  'kycData.documents[0].type': 'GOVERNMENT_ID',
  'kycData.documents[0].subtype': 'PASSPORT',
  'kycData.documents[0].countryCode': 'US',
  'kycData.documents[0].documentIdNumber': 'X1234567',
  'kycData.documents[0].issuanceDate': '2024-05-01',
  'kycData.documents[0].expirationDate': '2034-04-30',
}

export const frontImage = 'kycData.documents[0].frontIdImage'
