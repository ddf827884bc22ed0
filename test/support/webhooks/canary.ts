import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, isIP, type LookupFunction, type Server, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import { onTestFinished } from 'vitest'
import type { EgressPolicy } from '../../../src/adapters/egress-guard.ts'
import { createOutboundHttp, type OutboundOptions, type OutboundRequest } from '../../../src/adapters/outbound-http.ts'

export type LocalServer = { port: number; connections: number; sockets: Set<Socket>; close(): Promise<void> }

/** A TCP server that counts its connections and passes each to the test. */
export async function serve(
  onConnection: (socket: Socket) => void = (socket) => socket.destroy(),
  { host = '127.0.0.1', port = 0, server = createServer() }: { host?: string; port?: number; server?: Server } = {},
): Promise<LocalServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    local.connections += 1
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    onConnection(socket)
  })
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  const local: LocalServer = { port: 0, connections: 0, sockets, close }
  server.listen(port, host)
  await once(server, 'listening')
  local.port = (server.address() as AddressInfo).port
  return local
}

export type Canary = { port: number; count(): number; close(): Promise<void> }

/** A stand-in for a private target: listens on every IPv4 address of this machine and, with IPv6, on ::1. */
export async function startCanary(): Promise<Canary> {
  const answer = (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  const ipv4 = await serve(answer, { host: '0.0.0.0' })
  const ipv6 = await serve(answer, { host: '::1', port: ipv4.port }).catch(() => undefined)
  return {
    port: ipv4.port,
    count: () => ipv4.connections + (ipv6?.connections ?? 0),
    close: async () => void (await Promise.all([ipv4.close(), ipv6?.close()])),
  }
}

/**
 * undici's own connector, except that it never dials outside this machine: it only records such
 * addresses. So a test may let the guard pass a public address, and a hole in the guard does no harm.
 */
export function stayOnThisMachine(dialled: string[], more: { ca?: string } = {}): typeof buildConnector {
  const isHere = (address: string) => /^127\.|^::1$|^::ffff:7f/.test(address)
  const mayDial = (addresses: readonly string[]) => dialled.push(...addresses) > 0 && addresses.every(isHere)
  return (settings) => {
    const given = (settings as { lookup: LookupFunction }).lookup
    const lookup: LookupFunction = (hostname, options, callback) =>
      given(hostname, options, (error, found) => {
        const addresses = [found].flat().map((each) => (typeof each === 'string' ? each : each.address))
        if (error || mayDial(addresses)) callback(error, found)
        else callback(new Error('outside this machine'), [])
      })
    const connect = buildConnector({ ...settings, ...more, lookup })
    return (target, callback) => {
      const isDialled = isIP(target.hostname) === 0 || mayDial([target.hostname])
      if (isDialled) connect(target, callback)
      else callback(new Error('outside this machine'), null)
    }
  }
}

type OpenOptions = OutboundOptions & { answers?: string[][]; ca?: string }

/** The real client, limited to this machine. Each lookup takes the next answer, and the last one repeats. */
export function open({ answers = [['127.0.0.1']], ca, ...options }: OpenOptions = {}) {
  const dialled: string[] = []
  const names: string[] = []
  const lookup = async (hostname: string) => {
    names.push(hostname)
    const addresses = answers[Math.min(names.length, answers.length) - 1] ?? []
    return addresses.map((address) => ({ address, family: isIP(address) }))
  }
  const buildConnector = stayOnThisMachine(dialled, ca === undefined ? {} : { ca })
  const http = createOutboundHttp({ lookup, buildConnector, ...options })
  onTestFinished(http.close)
  const send = (url: string, policy: EgressPolicy, more: Partial<OutboundRequest> = {}) =>
    http.send({ url, method: 'POST', body: '{"id":1}', policy, timeoutMs: 5_000, ...more })
  return { send, dialled, names, close: http.close }
}

/** A server for one test; `ended` resolves when a connection has ended. */
export async function listen(onConnection: (socket: Socket) => void, given: { server?: Server } = {}) {
  const ended = Promise.withResolvers()
  const server = await serve((socket) => onConnection(socket.once('close', ended.resolve)), given)
  onTestFinished(server.close)
  return { server, port: server.port, url: `http://127.0.0.1:${server.port}/`, ended: ended.promise }
}

/** A server that writes this text as soon as a request begins to arrive. */
export const say = (text: string) => listen((socket) => socket.once('data', () => socket.write(text)))

/** Sends this every 10 ms. */
export function repeat(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10)
  socket.once('close', () => clearInterval(timer))
}

export const listenHttp = (listener: RequestListener, tls?: { key: string; cert: string }) =>
  listen(() => {}, { server: tls ? createHttpsServer(tls, listener) : createHttpServer(listener) })

/** A name server (RFC 1035) that gives every name this IPv4 address and no IPv6 address. */
export async function startNameServer(address: string): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const questionEnd = query.indexOf(0, 12) + 5
    const isIpv4 = query.readUInt16BE(questionEnd - 4) === 1
    const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isIpv4 ? 1 : 0, 0, 0, 0, 0])
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
    const answer = [header, query.subarray(12, questionEnd), ...(isIpv4 ? [record] : [])]
    socket.send(Buffer.concat(answer), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return `127.0.0.1:${socket.address().port}`
}

/** Addresses that a tenant might try. Each is refused before a name is looked up; PORT is the canary's. */
// biome-ignore format: a table is read by column
export const hostileUrls: readonly (readonly [url: string, why: string])[] = [
  ['https://127.0.0.1:PORT/',                     'loopback'],
  ['https://127.0.0.53:PORT/',                    'all of 127.0.0.0/8 is loopback'],
  ['https://127.255.255.254:PORT/',               'the end of loopback'],
  ['https://127.1:PORT/',                         'two parts'],
  ['https://127.0.1:PORT/',                       'three parts'],
  ['https://2130706433:PORT/',                    'decimal'],
  ['https://017700000001:PORT/',                  'octal'],
  ['https://0x7f000001:PORT/',                    'hexadecimal'],
  ['https://0x7f.0.0.0x1:PORT/',                  'hexadecimal parts'],
  ['https://0177.0x0.0.1:PORT/',                  'octal and hexadecimal parts'],
  ['https://127.0.0.1.:PORT/',                    'a dot after an address'],
  ['https://127。0。0。1:PORT/',                   'ideographic dots'],
  ['https://１２７.０.０.１:PORT/',                'full-width digits'],
  ['https://①②⑦.⓪.⓪.①:PORT/',                  'circled digits'],
  ['https://%31%32%37.0.0.1:PORT/',               'percent-encoded digits'],
  ['https://0.0.0.0:PORT/',                       'this host'],
  ['https://0:PORT/',                             'this host, short'],
  ['https://0x0:PORT/',                           'this host, hexadecimal'],
  ['https://[::1]:PORT/',                         'loopback, IPv6'],
  ['https://[0:0:0:0:0:0:0:1]:PORT/',             'loopback, written out'],
  ['https://[::]:PORT/',                          'this host, IPv6'],
  ['https://[::ffff:127.0.0.1]:PORT/',            'mapped'],
  ['https://[::ffff:7f00:1]:PORT/',               'mapped, as the URL parser rewrites it'],
  ['https://[0:0:0:0:0:ffff:127.0.0.1]:PORT/',    'mapped, written out'],
  ['https://[::ffff:0.0.0.0]:PORT/',              'this host, mapped'],
  ['https://[::127.0.0.1]:PORT/',                 'IPv4-compatible'],
  ['https://[::ffff:0:127.0.0.1]:PORT/',          'IPv4-translated'],
  ['https://[64:ff9b::127.0.0.1]:PORT/',          'NAT64'],
  ['https://[64:ff9b:1::7f00:1]:PORT/',           'local NAT64'],
  ['https://[2002:7f00:1::1]:PORT/',              '6to4 of loopback'],
  ['https://[2001:0:7f00:1::1]:PORT/',            'Teredo'],
  ['https://[fe80::1]:PORT/',                     'link-local'],
  ['https://[fe80::1%25lo]:PORT/',                'a zone id'],
  ['https://[fd00:ec2::254]/latest/meta-data/',   'metadata over unique local IPv6'],
  ['https://[fec0::1]/',                          'site-local'],
  ['https://[ff02::1]/',                          'multicast'],
  ['https://[100::1]/',                           'discard-only'],
  ['https://[2001:db8::1]/',                      'documentation'],
  ['https://[3fff::1]/',                          'documentation'],
  ['https://[5f00::1]/',                          'segment routing'],
  ['https://10.0.0.1/',                           'private'],
  ['https://172.16.0.1/',                         'private'],
  ['https://172.31.255.255/',                     'the end of a private range'],
  ['https://192.168.0.1/',                        'private'],
  ['https://3232235521/',                         'private, decimal'],
  ['https://[::ffff:10.0.0.1]/',                  'private, mapped'],
  ['https://169.254.169.254/latest/meta-data/',   'metadata'],
  ['https://2852039166/latest/meta-data/',        'metadata, decimal'],
  ['https://0xA9FEA9FE/',                         'metadata, hexadecimal'],
  ['https://0251.0376.0251.0376/',                'metadata, octal'],
  ['https://[::ffff:a9fe:a9fe]/',                 'metadata, mapped'],
  ['https://100.100.100.200/',                    'metadata inside carrier-grade NAT'],
  ['https://192.0.0.192/',                        'metadata inside protocol assignments'],
  ['https://168.63.129.16/',                      'a cloud host agent on a public address'],
  ['https://198.18.0.1/',                         'benchmarks'],
  ['https://224.0.0.1/',                          'multicast'],
  ['https://255.255.255.255/',                    'broadcast'],
  ['https://localhost:PORT/',                     'a loopback name'],
  ['https://LOCALHOST:PORT/',                     'a loopback name in capitals'],
  ['https://localhost.:PORT/',                    'a loopback name with a dot'],
  ['https://ⓛocalhost:PORT/',                     'a loopback name with a circled letter'],
  ['https://loc%61lhost:PORT/',                   'a loopback name, percent-encoded'],
  ['https://l\u00adocalhost:PORT/',               'a loopback name with a soft hyphen'],
  ['https://hooks.localhost:PORT/',               'below a loopback name'],
  ['https://hooks.localhost.:PORT/',              'below a loopback name, with a dot'],
  ['https://localhost.localdomain:PORT/',         'a local network'],
  ['https://metadata.google.internal:PORT/',      'metadata by name'],
  ['https://db.svc.cluster.local:PORT/',          'a cluster'],
  ['https://router.home.arpa:PORT/',              'a home network'],
  ['https://postgres:PORT/',                      'one label'],
  ['https://hooks.example.com.:PORT/',            'a dot after a name'],
  ['https://hooks..example.com:PORT/',            'an empty label'],
  ['https://.example.com:PORT/',                  'an empty first label'],
  ['https://ho*ks.example.com:PORT/',             'a character that no host has'],
  [`https://${'a'.repeat(64)}.example.com:PORT/`, 'a label of 64 characters'],
  [`https://${'a.'.repeat(126)}com:PORT/`,        'a host of 255 characters'],
  [`https://hooks.example.com:PORT/${'a'.repeat(2048)}`, 'too long'],
  ['https://hooks.example.com:0/',                'port 0'],
  ['https://hooks.example.com:65536/',            'no such port'],
  ['https://user:secret@hooks.example.com:PORT/', 'credentials'],
  ['https://hooks.example.com@127.0.0.1:PORT/',   'a host posing as a user name'],
  ['https://hooks.example.com:443@127.0.0.1:PORT/', 'a host and port posing as credentials'],
  ['https://hooks.example.com%2f@127.0.0.1:PORT/', 'an encoded slash'],
  ['https://@hooks.example.com:PORT/',            'empty credentials'],
  ['https://hooks.example.com\\@127.0.0.1:PORT/', 'a backslash'],
  ['https:\\\\127.0.0.1:PORT\\',                  'backslashes only'],
  ['https:127.0.0.1:PORT',                        'no slashes'],
  ['https:///127.0.0.1:PORT/',                    'three slashes'],
  ['https://',                                    'no host'],
  ['https://127.0.0.1%00.example.com:PORT/',      'an encoded end of string'],
  [' https://127.0.0.1:PORT/',                    'a blank in front'],
  ['https://127.0.\t0.1:PORT/',                   'a tab, which the parser drops'],
  ['https://hooks.example.com:PORT/\r\nhost: x',  'a line end, which the parser drops'],
  ['http://hooks.example.com:PORT/',              'plain http'],
  ['http://127.0.0.1:PORT/',                      'plain http to loopback'],
  ['http://[::1]:PORT/',                          'plain http to loopback, IPv6'],
  ['http://localhost:PORT/',                      'plain http to a loopback name'],
  ['ftp://127.0.0.1:PORT/',                       'another scheme'],
  ['gopher://127.0.0.1:PORT/_GET',                'another scheme'],
  ['ws://127.0.0.1:PORT/',                        'another scheme'],
  ['file:///etc/passwd',                          'a file'],
  ['data:text/plain,x',                           'data'],
  ['blob:https://127.0.0.1:PORT/x',               'a blob'],
  ['javascript:fetch("http://127.0.0.1:PORT")',   'a script'],
  ['//127.0.0.1:PORT/',                           'no scheme'],
  ['/internal',                                   'a path'],
  ['',                                            'nothing'],
]
