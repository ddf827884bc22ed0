import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/**
 * A verification provider as docs/verification-provider.md describes one, on its own port, with every way of failing
 * that a real one has. Signatures are checked and made by a third party's code.
 */
export type ProviderSimulator = {
  url: string
  secret: string
  /** Settings for the service to use it. */
  settings: Record<string, string>
  known: Map<string, Known>
  /** Every request that arrived with a good signature: "PUT <reference>", "PUT <reference>/documents/1", "GET …". */
  requests: string[]
  /** The outcome for every customer submitted from now on; PENDING until `decide` unless set. */
  judge: (submission: Submitted) => Opinion
  /** Called when a submission has arrived whole, before anything is answered. */
  onSubmitted: (reference: string) => unknown
  /** One request meets each fault, in this order. */
  faults: Fault[]
  /** The highest number of concurrent uploads of one submission. */
  mostDocumentsAtOnce: number
  decide(reference: string, opinion: Opinion): void
  call(reference: string, more?: CallOptions): Promise<Response>
  /** The address of the service; once set, the provider sends a callback for each decision. */
  service: string | undefined
  /** Closes every connection that still waits for an answer. */
  dropHeld(): void
  close(): Promise<void>
}

export type Submitted = {
  reference: string
  customerType: string
  profile: { email: string }
  kycData?: Record<string, never>
  kybData?: Record<string, never>
  documents: { documentId: string; mediaType: string; byteLength: number; sha256: string }[]
}
export type Opinion = { status: string; issues?: unknown }
export type Known = {
  submission: Submitted | undefined
  documents: Map<string, Buffer>
  opinion: Opinion
  /** The number of times it arrived. */
  submitted: number
}

export type Fault = { on: 'PUT' | 'PUT document' | 'GET'; does: keyof typeof misdeeds }
type CallOptions = { secret?: string; id?: string; at?: Date; body?: string; headers?: Record<string, string> }

type Turn = {
  response: ServerResponse
  work: () => Answer
  held: Set<ServerResponse>
  /** Decides and sends the callback. */
  decideAndCall: () => Promise<unknown>
}
type Answer = { status: number; body?: unknown }

/** The ways in which one request can fail. `work` performs the effect and returns the right answer. */
const misdeeds = {
  'fails before the effect': ({ response }: Turn) => send(response, { status: 500 }),
  'fails after the effect': ({ response, work }: Turn) => {
    work()
    send(response, { status: 500, body: { error: 'INTERNAL' } })
  },
  'loses the reply after the effect': ({ response, work }: Turn) => {
    work()
    response.destroy()
  },
  'never answers': ({ response, held }: Turn) => void held.add(response),
  'never answers after the effect': ({ response, work, held }: Turn) => {
    work()
    held.add(response)
  },
  'answers no JSON': ({ response, work }: Turn) => {
    work()
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status": "APPRO')
  },
  'answers without end': ({ response }: Turn) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const pour = () => {
      while (!response.destroyed && response.write(' '.repeat(16_384)));
    }
    response.on('drain', pour)
    pour()
  },
  'answers an unknown status': ({ response, work }: Turn) =>
    send(response, { status: 200, body: { ...(work().body as object), status: 'THINKING_ABOUT_IT' } }),
  'answers about another customer': ({ response, work }: Turn) =>
    send(response, { status: 200, body: { ...(work().body as object), reference: 'another customer' } }),
  'answers unreadable issues': ({ response, work }: Turn) =>
    send(response, { status: 200, body: { ...(work().body as object), issues: [{ code: 7 }] } }),
  'decides and calls back while it answers': ({ response, work, decideAndCall }: Turn) => {
    const outdated = work()
    void decideAndCall().then(() => send(response, outdated))
  },
  'is not there': ({ response }: Turn) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404'),
  'does not let us in': ({ response }: Turn) => send(response, { status: 401 }),
  'refuses the content': ({ response }: Turn) => send(response, { status: 422, body: { error: 'NOT_SUPPORTED' } }),
  redirects: ({ response }: Turn) => void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
} as const

export async function startProviderSimulator(): Promise<ProviderSimulator> {
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
  const held = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    answer(simulator, held, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/identity`
  const simulator: ProviderSimulator = {
    url,
    secret,
    known: new Map(),
    requests: [],
    faults: [],
    service: undefined,
    mostDocumentsAtOnce: 0,
    settings: { SVC_VERIFICATION_PROVIDER_URL: url, SVC_VERIFICATION_PROVIDER_SECRET: secret },
    judge: () => ({ status: 'PENDING' }),
    onSubmitted: () => {},
    decide: (reference, opinion) => {
      knownOf(simulator, reference).opinion = opinion
    },
    call: (reference, more = {}) => callBack(simulator, reference, more),
    dropHeld: () => {
      for (const response of held) response.destroy()
      held.clear()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return simulator
}

async function answer(
  simulator: ProviderSimulator,
  held: Set<ServerResponse>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [reference = '', , documentId] = (request.url ?? '').replace(/^\/identity\/verifications\//, '').split('/')
  const text = await readText(simulator, request, documentId ? reference : undefined)
  new Webhook(simulator.secret).verify(text, request.headers as Record<string, string>)
  // The signature covers the id, and the id names the operation: a signed request fits no other path.
  const isRead = request.method === 'GET'
  const signedFor = isRead ? `${reference}.ask` : documentId ? `${reference}.${documentId}` : reference
  if (request.headers['webhook-id'] !== signedFor) throw new Error('signed for something else')
  simulator.requests.push(`${request.method} ${reference}${documentId ? `/documents/${documentId}` : ''}`)
  const work = (): Answer => {
    if (isRead) return read(simulator, reference)
    return documentId ? takeDocument(simulator, reference, documentId, text) : take(simulator, reference, text)
  }
  const kind = isRead ? 'GET' : documentId ? 'PUT document' : 'PUT'
  const [fault] = simulator.faults
  if (fault?.on !== kind) return send(response, work())
  simulator.faults.shift()
  const decideAndCall = () => {
    simulator.decide(reference, { status: 'APPROVED' })
    return simulator.call(reference)
  }
  misdeeds[fault.does]({ response, work, held, decideAndCall })
}

const underWay = new Map<string, number>()

async function readText(simulator: ProviderSimulator, request: IncomingMessage, documentsOf: string | undefined) {
  const count = (by: number) => {
    if (documentsOf === undefined) return
    underWay.set(documentsOf, (underWay.get(documentsOf) ?? 0) + by)
    simulator.mostDocumentsAtOnce = Math.max(simulator.mostDocumentsAtOnce, underWay.get(documentsOf) ?? 0)
  }
  count(1)
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  count(-1)
  return Buffer.concat(chunks).toString()
}

function knownOf(simulator: ProviderSimulator, reference: string): Known {
  const known = simulator.known.get(reference) ?? {
    submission: undefined,
    documents: new Map(),
    submitted: 0,
    opinion: { status: 'PENDING' },
  }
  simulator.known.set(reference, known)
  return known
}

function takeDocument(simulator: ProviderSimulator, reference: string, documentId: string, text: string): Answer {
  const { content } = JSON.parse(text) as { content: string }
  knownOf(simulator, reference).documents.set(documentId, Buffer.from(content, 'base64'))
  return { status: 204 }
}

/** A repeated reference is the same submission: it is not judged twice. */
function take(simulator: ProviderSimulator, reference: string, text: string): Answer {
  const known = knownOf(simulator, reference)
  known.submitted += 1
  if (!known.submission) {
    known.submission = JSON.parse(text) as Submitted
    // A test may have decided before the submission arrives.
    if (known.opinion.status === 'PENDING') known.opinion = simulator.judge(known.submission)
    simulator.onSubmitted(reference)
    if (known.opinion.status !== 'PENDING' && simulator.service) void callBack(simulator, reference, {}).catch(() => {})
  }
  return { status: 202, body: { reference, status: known.opinion.status } }
}

function read(simulator: ProviderSimulator, reference: string): Answer {
  const known = simulator.known.get(reference)
  if (!known?.submission) return { status: 404, body: { error: 'UNKNOWN_REFERENCE' } }
  return { status: 200, body: { reference, ...known.opinion } }
}

function callBack(simulator: ProviderSimulator, reference: string, more: CallOptions): Promise<Response> {
  const { secret = simulator.secret, id = `msg_${reference}`, at = new Date() } = more
  const body = more.body ?? JSON.stringify({ reference })
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
    ...more.headers,
  }
  return fetch(`${simulator.service}/verification/callbacks`, { method: 'POST', headers, body })
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === undefined ? '' : JSON.stringify(body))
}
