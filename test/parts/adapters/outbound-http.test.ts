import { Resolver } from 'node:dns/promises'
import { isIP, type Socket } from 'node:net'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import * as guard from '../../../src/adapters/egress-guard.ts'
import { makeSelfSignedCertificate } from '../../support/runner/self-signed-certificate.ts'
import {
  hostileUrls,
  listen,
  listenHttp,
  open,
  repeat,
  say,
  startCanary,
  startNameServer,
} from '../../support/webhooks/canary.ts'

const strict: guard.EgressPolicy = { kind: 'tenant', allowLoopback: false }
const sandbox: guard.EgressPolicy = { kind: 'tenant', allowLoopback: true }
const operator: guard.EgressPolicy = { kind: 'operator' }
const publicAddress = '93.184.216.34'

const canary = await startCanary()
afterAll(() => canary.close())
const atCanary = (url: string) => url.replaceAll('PORT', String(canary.port))
afterEach(() => vi.unstubAllEnvs())

test.each(hostileUrls)('a tenant cannot call %j: %s', async (url) => {
  const before = canary.count()
  const { send, dialled, names } = open()
  expect(await send(atCanary(url), strict)).toMatchObject({ ok: false, kind: 'refused', mayHaveArrived: false })
  expect({ dialled, names, reached: canary.count() - before }).toEqual({ dialled: [], names: [], reached: 0 })
})

test('control: without the guard the same URLs reach the canary', async () => {
  const before = canary.count()
  const { send } = open()
  for (const [url] of hostileUrls) await send(atCanary(url), operator)
  expect(hostileUrls.length).toBeGreaterThanOrEqual(60)
  expect(canary.count() - before).toBeGreaterThanOrEqual(40)
})

// biome-ignore format: a table is read by column
test.each([
  ['IPv4, first and last of each range', 4, ['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.0', '127.255.255.255', '169.254.0.0', '169.254.255.255', '172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255', '192.31.196.1', '192.52.193.1', '192.88.99.0', '192.88.99.255', '192.168.0.0', '192.168.255.255', '192.175.48.1', '198.18.0.0', '198.19.255.255', '198.51.100.0', '198.51.100.255', '203.0.113.0', '203.0.113.255', '224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.255', '168.63.129.16']],
  ['IPv6, first and last of each range', 6, ['::', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::808:808', '64:ff9b:1::1', '100::1', '1fff:ffff::', '2001::', '2001:1ff:ffff::', '2001:db8::', '2001:db8:ffff::', '2002::', '2002:ffff::', '2620:4f:8000::1', '3ffe::1', '3fff::', '3fff:fff:ffff::', '4000::', '5f00::1', 'fc00::', 'fdff:ffff::', 'fe80::', 'febf:ffff::', 'fec0::', 'ff00::', 'ffff:ffff::']],
  ['texts that are no IPv6 address', 6, ['', 'localhost', 'fe80::1%lo', '2606:4700::1%lo', '127.0.0.1', '8.8.8.8']],
  ['texts that are no IPv4 address', 4, ['', '1', '127.1', '8.8.8.8 ', '8.8.8.8%1', '2606:4700::1']],
] as const)('a tenant reaches no special address: %s (%i)', (_, family, addresses) => {
  expect(addresses.filter((address) => guard.isReachable(address, family, strict))).toEqual([])
})

// biome-ignore format: a table is read by column
test('a tenant can reach public addresses, even those next to a special range', () => {
  const ipv4 = ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', publicAddress]
  const ipv6 = ['2001:200::', '2001:db7:ffff::', '2001:db9::', '2003::', '2606:4700::1', '3ffd::1', '3fff:1000::']
  expect([...ipv4, ...ipv6].filter((address) => !guard.isReachable(address, isIP(address), strict))).toEqual([])
  const urls = ['https://hooks.example.com', 'https://hooks.example.com:8443/a?b#c', 'https://xn--bcher-kva.example', 'https://bücher.example/', `https://${publicAddress}/`, 'https://[2606:4700::1]/']
  expect(urls.filter((url) => !guard.checkUrl(url, strict).ok)).toEqual([])
})

// biome-ignore format: a table is read by column
test.each([
  // a name with …                            the resolver's answers, one a lookup     what each call meets       what may be dialled
  ['a private address',                      [['127.0.0.1']],                          ['refused'],                []],
  ['a mapped address',                       [['::ffff:127.0.0.1']],                   ['refused'],                []],
  ['a public and a private address',         [[publicAddress, '127.0.0.1']],           ['refused'],                []],
  ['a private and a public address',         [['::1', '2606:4700::1', publicAddress]], ['refused'],                []],
  ['no address',                             [[]],                                     ['unreachable'],            []],
  ['first a public, then a private address', [[publicAddress], ['127.0.0.1']],         ['unreachable', 'refused'], [publicAddress]],
])('a name with %s never leads to the canary', async (_, answers, kinds, mayBeDialled) => {
  const before = canary.count()
  const { send, dialled, names } = open({ answers })
  const url = atCanary('https://hooks.example.com:PORT/')
  for (const kind of kinds) expect(await send(url, strict)).toMatchObject({ kind })
  // One lookup per connection: there is no second one between the check and the connection.
  expect({ dialled, lookups: names.length }).toEqual({ dialled: mayBeDialled, lookups: kinds.length })
  expect(canary.count()).toBe(before)
  // Control: where the guard allows it, the private address is dialled.
  await open({ answers: [['127.0.0.1']] }).send(url, operator)
  expect(canary.count()).toBe(before + 1)
})

test('each new connection resolves and checks its name, and dials the checked address', async () => {
  const { port, server } = await say('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  // The last address is public, and a tenant may not call it over plain http.
  const forbidden = [['0.0.0.0'], ['127.0.0.1', '10.0.0.1'], ['127.0.0.1', publicAddress], [publicAddress]]
  const { send, dialled } = open({ answers: [['127.0.0.1'], ...forbidden] })
  const url = `http://hooks.localhost:${port}/`
  expect(await send(url, sandbox)).toMatchObject({ ok: true, status: 200 })
  for (const _ of forbidden) expect(await send(url, sandbox)).toMatchObject({ kind: 'refused' })
  expect({ dialled, connections: server.connections }).toEqual({ dialled: ['127.0.0.1'], connections: 1 })
})

test('an address in the URL is re-checked when the connection is made', () => {
  const { mayConnectTo } = guard.guardConnections(new URL('https://hooks.example.com'), strict, async () => [])
  expect(['127.0.0.1', '::1', '10.0.0.1', publicAddress].filter(mayConnectTo)).toEqual([publicAddress])
})

test.each(['127.0.0.1', 'localhost', 'hooks.localhost'])('the sandbox may call %s over plain http', async (host) => {
  const { port } = await say('HTTP/1.1 204 No Content\r\n\r\n')
  const { send } = open({ lookup: guard.lookUpInDns(new Resolver()) })
  expect(await send(`http://${host}:${port}/`, sandbox)).toMatchObject({ ok: true, status: 204 })
})

test.each([
  '10.0.0.1',
  '169.254.169.254',
  '192.168.1.1',
  '0.0.0.0',
  '[::ffff:10.0.0.1]',
  '[fd00::1]',
  '[::]',
  'postgres',
  'metadata.google.internal',
  'hooks.example.com',
])('the sandbox may not call %s when it resolves to a private address', async (host) => {
  const { send, dialled } = open({ answers: [['10.0.0.1']] })
  for (const scheme of ['http', 'https']) {
    expect(await send(atCanary(`${scheme}://${host}:PORT/`), sandbox)).toMatchObject({ kind: 'refused' })
  }
  expect(dialled).toEqual([])
})

// biome-ignore format: a table is read by column
test.each([
  // url                                 ports         is allowed
  ['https://hooks.example.com/',         [443, 8443],  true],
  ['https://hooks.example.com:443/',     [443],        true],
  ['https://hooks.example.com:8443/',    [443, 8443],  true],
  ['https://hooks.example.com:8443/',    [443],        false],
  ['https://hooks.example.com:22/',      [443, 8443],  false],
  ['http://127.0.0.1:PORT/',             [443],        false],
  ['http://127.0.0.1/',                  [443],        false],
  ['http://127.0.0.1/',                  [80],         true],
] as const)('%s with the ports %j is allowed: %s', async (url, ports, isAllowed) => {
  const policy = { ...sandbox, ports }
  expect(guard.checkUrl(atCanary(url), policy).ok).toBe(isAllowed)
  const { send, dialled } = open({ answers: [[publicAddress]] })
  if (!isAllowed) expect(await send(atCanary(url), policy)).toMatchObject({ kind: 'refused' })
  if (!isAllowed) expect(dialled).toEqual([])
})

test('a name from a real DNS server is checked as well', async () => {
  const resolver = new Resolver({ timeout: 1_000, tries: 1 })
  resolver.setServers([await startNameServer('127.0.0.1')])
  const { send, dialled } = open({ lookup: guard.lookUpInDns(resolver) })
  expect(await send('https://hooks.example.com/', strict)).toMatchObject({ kind: 'refused' })
  expect(dialled).toEqual([])
  expect(await send(atCanary('http://hooks.example.com:PORT/'), operator)).toMatchObject({ ok: true, status: 200 })
})

test('a call sends its headers and body and returns the answer, over a kept-alive connection', async () => {
  const seen: unknown[] = []
  const { port, server } = await listenHttp(async (request, response) => {
    const body = (await request.toArray()).join('')
    seen.push([request.method, request.url, request.headers.host, request.headers['x-id'], body])
    response.writeHead(201, { 'X-Two': ['a', 'b'] }).end('made')
  })
  const { send } = open({ connectionsPerOrigin: 1 })
  const url = `http://127.0.0.1:${port}/hook?a=b`
  const answer = await send(url, sandbox, { headers: { 'X-Id': '7' } })
  expect(answer).toMatchObject({ ok: true, status: 201, headers: { 'x-two': 'a, b' }, truncated: false })
  expect(answer.ok && answer.body.toString()).toBe('made')
  await send(url, sandbox, { headers: { 'X-Id': '7' } })
  const call = ['POST', '/hook?a=b', `127.0.0.1:${port}`, '7', '{"id":1}']
  expect({ seen, connections: server.connections }).toEqual({ seen: [call, call], connections: 1 })
})

const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n'
// biome-ignore format: a table is read by column
test.each<[string, string, (socket: Socket) => unknown]>([
  ['nothing',                     'timeout',        () => {}],
  ['endless interim answers',     'timeout',        (socket) => repeat(socket, 'HTTP/1.1 102 Processing\r\n\r\n')],
  ['its headers byte by byte',    'timeout',        (socket) => socket.write('HTTP/1.1 200 OK\r\n') && repeat(socket, 'a: b\r\n')],
  ['its body byte by byte',       'timeout',        (socket) => socket.write(head) && repeat(socket, '.')],
  ['a reset',                     'reset',          (socket) => socket.resetAndDestroy()],
  ['an end without an answer',    'reset',          (socket) => socket.end()],
  ['half a body',                 'reset',          (socket) => socket.end(`${head}half`)],
  ['another protocol',            'invalid answer', (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')],
  ['an impossible status',        'invalid answer', (socket) => socket.end('HTTP/1.1 099 No\r\ncontent-length: 0\r\n\r\n')],
  ['two lengths',                 'invalid answer', (socket) => socket.end(head.replace('\r\n\r\n', '\r\ncontent-length: 2\r\n\r\n'))],
  ['endless headers',             'invalid answer', (socket) => socket.write(`HTTP/1.1 200 OK\r\na: ${'b'.repeat(20_000)}`)],
  ['an unrequested upgrade',      'invalid answer', (socket) => socket.write('HTTP/1.1 101 So\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')],
])('a host that sends %s: %s', async (_, kind, answer) => {
  const { url, ended } = await listen((socket) => socket.once('data', () => answer(socket)))
  const timeoutMs = kind === 'timeout' ? 200 : 5_000
  expect(await open().send(url, sandbox, { timeoutMs })).toMatchObject({ ok: false, kind, mayHaveArrived: true })
  await ended
})

test('an endless answer is cut at the limit and its connection closed', async () => {
  const { url, ended } = await listen((socket) => {
    const pour = () => void (socket.writable && socket.write('x'.repeat(65_536), pour))
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n', pour))
  })
  const answer = await open().send(url, sandbox, { maxAnswerBytes: 1_000 })
  expect(answer).toMatchObject({ ok: true, status: 200, truncated: true, body: Buffer.alloc(1_000, 'x') })
  await ended
})

test('a redirect is returned, not followed', async () => {
  const before = canary.count()
  const { url } = await say(
    atCanary('HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:PORT/\r\ncontent-length: 0\r\n\r\n'),
  )
  expect(await open().send(url, sandbox)).toMatchObject({ ok: true, status: 307 })
  expect(canary.count()).toBe(before)
})

test('a call to a closed port is reported as not sent', async () => {
  const { url, server } = await say('')
  await server.close()
  expect(await open().send(url, sandbox)).toMatchObject({ kind: 'unreachable', mayHaveArrived: false })
})

test('calls wait for a free connection to the host, and are not sent after their timeout', async () => {
  // The first connection gets no answer.
  const { url, server } = await listen((socket) => server.connections > 1 && socket.end('HTTP/1.1 204 OK\r\n\r\n'))
  const { send } = open({ connectionsPerOrigin: 1, maxOrigins: 1 })
  const first = send(url, sandbox, { timeoutMs: 400 })
  const second = send(url, sandbox, { timeoutMs: 100 })
  const third = send(url, sandbox)
  const elsewhere = atCanary('http://127.0.0.1:PORT/')
  expect(await send(elsewhere, sandbox)).toMatchObject({ kind: 'unavailable', mayHaveArrived: false })
  expect(await second).toMatchObject({ kind: 'timeout', mayHaveArrived: false })
  expect(await first).toMatchObject({ kind: 'timeout', mayHaveArrived: true })
  expect(await third).toMatchObject({ ok: true, status: 204 })
  expect(server.connections).toBe(2)
  expect(await send(elsewhere, sandbox)).toMatchObject({ ok: true })
})

test('a call that timed out during the lookup is not sent when the connection opens', async () => {
  const heard: Buffer[] = []
  const { port, ended } = await listen((socket) => socket.on('data', (data) => heard.push(data)))
  const found = Promise.withResolvers<{ address: string; family: number }[]>()
  const answer = await open({ lookup: () => found.promise }).send(`http://localhost:${port}/`, sandbox, {
    timeoutMs: 50,
  })
  expect(answer).toMatchObject({ kind: 'timeout', mayHaveArrived: false })
  found.resolve([{ address: '127.0.0.1', family: 4 }])
  await ended
  expect(heard).toEqual([])
})

test('no call is made after close', async () => {
  const { send, close } = open()
  await close()
  expect(await send('http://127.0.0.1:1/', sandbox)).toMatchObject({ kind: 'unavailable', mayHaveArrived: false })
})

// biome-ignore format: a table is read by column
test.each<Record<string, string>>([
  { 'x-id': '1\r\nx-admin: 1' }, { 'x-id': '1\n' }, { 'x-id': '\0' }, { 'x-id': '☃' }, { 'x-id\r\nx-admin': '1' }, { '': '1' },
  { Host: 'other.example.com' }, { 'Content-Length': '1' }, { 'transfer-encoding': 'chunked' }, { connection: 'upgrade' },
])('the headers %j are not sent', async (headers) => {
  const { url, server } = await say(head)
  expect(await open().send(url, sandbox, { headers })).toMatchObject({ kind: 'invalid request', mayHaveArrived: false })
  expect(server.connections).toBe(0)
})

test('certificates are always verified', async () => {
  const tls = makeSelfSignedCertificate(['hooks.example.com'])
  const requests: unknown[] = []
  const { port } = await listenHttp((request, response) => requests.push(request.url) && response.end(), tls)
  const url = `https://hooks.example.com:${port}/`
  const untrusted = { ok: false, kind: 'unreachable', mayHaveArrived: false }
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  expect(await open().send(url, operator)).toMatchObject(untrusted)
  const trusting = open({ ca: tls.cert })
  expect(await trusting.send(`https://other.example.com:${port}/`, operator)).toMatchObject(untrusted)
  expect(await trusting.send(atCanary('https://hooks.example.com:PORT/'), operator)).toMatchObject(untrusted)
  expect(requests).toEqual([])
  expect(await trusting.send(url, operator)).toMatchObject({ ok: true, status: 200 })
  // A connection is still open, but it belongs to the operator's calls.
  expect(await trusting.send(url, strict)).toMatchObject({ kind: 'refused' })
  expect(requests).toEqual(['/'])
})

test('proxy settings of the environment are ignored', async () => {
  const before = canary.count()
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) vi.stubEnv(name, atCanary('http://127.0.0.1:PORT'))
  const { url, server } = await say('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  expect(await open().send(url, sandbox)).toMatchObject({ ok: true })
  expect({ direct: server.connections, byProxy: canary.count() - before }).toEqual({ direct: 1, byProxy: 0 })
})
