import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/** A browser's request, before its body is read. */
export type PageRequest = {
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  headers: IncomingHttpHeaders
  cookies: ReadonlyMap<string, string>
  /** The client's IP address, as reported by trusted proxies. */
  address: string
  isSecure: boolean
  /** The origin under which the browser reached this server. */
  origin: string
}

export type PageAnswer = {
  status: number
  headers?: Readonly<Record<string, string | readonly string[]>>
  body?: string | Buffer | Readable
}

/** Answers a request that was admitted. */
export type Respond = (body: Buffer) => Promise<PageAnswer>

/** The same for a visitor of an organization, in whose share the body counts. */
export type RespondFor = { organizationId: string; respond: Respond }

/**
 * One address that browsers use, outside of the API's contract. `admit` runs before the body is read and decides who
 * asks; the function that it returns answers.
 */
export type Page = {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  /** The longest body. */
  maxBytes?: number
  admit(request: PageRequest): Promise<Respond | RespondFor>
}
