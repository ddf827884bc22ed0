import type { LookupAddress } from 'node:dns'
import type { Resolver } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/**
 * The origin of an address. A tenant may name public hosts only (in the sandbox also this machine's loopback); an
 * address that the operator sets, such as a chain node, may be private.
 */
export type EgressPolicy =
  | { kind: 'tenant'; allowLoopback: boolean /** Undefined allows any. */; ports?: readonly number[] | undefined }
  | { kind: 'operator' }

/** A URL that may be called, with the parts that each call needs. */
export type Allowed = { ok: true; url: URL; origin: string; path: string }
export type CheckedUrl = Allowed | { ok: false; reason: string }

// IANA IPv4 Special-Purpose Address Registry (RFC 6890), whether an entry is routed or not, and multicast (RFC 5771).
const specialIpv4 = [
  '0.0.0.0/8', // this network; 0.0.0.0 reaches this host on Linux
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, and a metadata service (100.100.100.200)
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and most metadata services (169.254.169.254)
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, and a metadata service (192.0.0.192)
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // automatic multicast tunnels
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  // Not in the registry: the one public address that is a cloud's host agent (Azure WireServer).
  '168.63.129.16/32',
]

// IANA has allocated global unicast addresses from 2000::/3 only, so the guard refuses all others. It holds loopback,
// mapped and compatible IPv4 (::/96, ::ffff:0:0/96), NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard (100::/64), segment
// routing (5f00::/16), unique local (fc00::/7), link- and site-local (fe80::/10, fec0::/10) and multicast (ff00::/8).
const specialIpv6 = [
  '::/3',
  '4000::/2',
  '8000::/1',
  // IANA IPv6 Special-Purpose Address Registry: the entries inside 2000::/3.
  '2001::/23', // protocol assignments, with Teredo (2001::/32) and ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which carries any IPv4 address
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // the former 6bone
  '3fff::/20', // documentation
]

// One list per family: a BlockList also compares across families, and ::/3 would then match every IPv4 address.
const special = { 4: createList(specialIpv4, 'ipv4'), 6: createList(specialIpv6, 'ipv6') }
const loopback = { 4: createList(['127.0.0.0/8'], 'ipv4'), 6: createList(['::1/128'], 'ipv6') }

function createList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}

/** Checks an address that `readFamily` has parsed: a BlockList lets pass what it cannot parse, such as zone ids. */
function isIn(lists: Readonly<Record<4 | 6, BlockList>>, address: string, family: 4 | 6): boolean {
  return lists[family].check(address, family === 4 ? 'ipv4' : 'ipv6')
}

function readFamily(address: string): 4 | 6 | undefined {
  const family = address.includes('%') ? 0 : isIP(address)
  return family === 4 || family === 6 ? family : undefined
}

export function isLoopback(address: string): boolean {
  const family = readFamily(address)
  return family !== undefined && isIn(loopback, address, family)
}

/** RFC 6761, section 6.3: these names never leave the machine. */
export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost')
}

/** Tells whether a connection to this address is allowed. Checked for every address that a name resolves to. */
export function isReachable(address: string, family: number, policy: EgressPolicy): boolean {
  const read = readFamily(address)
  if (read === undefined || read !== family) return false
  if (policy.kind === 'operator') return true
  return (policy.allowLoopback && isIn(loopback, address, read)) || !isIn(special, address, read)
}

const longestUrl = 2048
// The URL parser drops tabs and line ends, trims blanks and reads "\" as "/", so the sender's meaning is unclear.
const ambiguous = /[\p{Cc}\p{Z}\\]/u
// RFC 1035 with the underscore that some hosts have: a dot inside, no empty label, none at the end.
const hostName = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/
const localSuffix = /\.(?:local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/

/** Checks whether this URL may be called. Names are resolved and their addresses checked at each connection. */
export function checkUrl(text: string, policy: EgressPolicy): CheckedUrl {
  const refuse = (reason: string): CheckedUrl => ({ ok: false, reason })
  if (text.length > longestUrl) return refuse(`must not be longer than ${longestUrl} characters`)
  if (ambiguous.test(text)) return refuse('must not contain blanks, control characters or backslashes')
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null
  if (!url) return refuse('must be an absolute https URL')
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    return refuse('must not contain a user name or password')
  }
  if (url.port === '0') return refuse('must not name port 0')
  const reason = policy.kind === 'tenant' ? whyNotForTenant(url, policy) : undefined
  return reason === undefined ? { ok: true, url, origin: url.origin, path: url.pathname + url.search } : refuse(reason)
}

// The parser drops a port that is its scheme's default.
const defaultPorts: Record<string, number> = { 'https:': 443, 'http:': 80 }

function whyNotForTenant(url: URL, policy: EgressPolicy & { kind: 'tenant' }): string | undefined {
  // The parser has already turned decimal, octal, hexadecimal and full-width spellings of IPv4 into dotted ones.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isOnThisMachine = isLoopbackName(host) || isLoopback(host)
  const port = Number(url.port || defaultPorts[url.protocol])
  if (policy.ports && !policy.ports.includes(port)) return `must use one of the ports ${policy.ports.join(', ')}`
  if (isOnThisMachine && policy.allowLoopback) return undefined
  if (url.protocol !== 'https:') return 'must start with https://'
  if (isIP(host) !== 0) {
    return isReachable(host, isIP(host), policy) ? undefined : 'must not name a private or reserved address'
  }
  if (isOnThisMachine || localSuffix.test(host)) return 'must not name a host of a local network'
  return hostName.test(host) ? undefined : 'must name a public host in full, such as hooks.example.com'
}

const names = new WeakMap<EgressPolicy, string>()

export function policyName(policy: EgressPolicy): string {
  let name = names.get(policy)
  if (name === undefined) {
    name = writeName(policy)
    names.set(policy, name)
  }
  return name
}

function writeName(policy: EgressPolicy): string {
  if (policy.kind === 'operator') return policy.kind
  return `${policy.allowLoopback ? 'tenant or loopback' : policy.kind} ${policy.ports?.join() ?? ''}`
}

const mostCached = 1_000

/** Caches checks: the same few addresses are called often, and the result for a text and a policy never changes. */
export function cacheUrlChecks(): typeof checkUrl {
  const known = new Map<string, CheckedUrl>()
  return (text, policy) => {
    const key = `${policyName(policy)} ${text}`
    const found = known.get(key)
    if (found) return found
    const checked = checkUrl(text, policy)
    if (known.size >= mostCached) known.clear()
    known.set(key, checked)
    return checked
  }
}

/** Resolves all addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>

export class EgressRefused extends Error {}

/**
 * Guards the connections to one destination. The socket connects to the addresses that `lookup` has checked, so no
 * second DNS answer can differ. A socket does not look IP literals up: `mayConnectTo` checks them first.
 */
export function guardConnections(url: URL, policy: EgressPolicy, lookUp: Lookup) {
  // A tenant's plain http stays on this machine, regardless of what the name resolves to.
  const isLoopbackOnly = policy.kind === 'tenant' && url.protocol === 'http:'
  const mayReach = ({ address, family }: LookupAddress) =>
    isReachable(address, family, policy) && (!isLoopbackOnly || isLoopback(address))

  const findAddresses = async (hostname: string) => {
    const addresses = [...(await lookUp(hostname))]
    // One forbidden address refuses the name: an attacker may mix both kinds and wait for the forbidden one to be used.
    if (!addresses.every(mayReach)) throw new EgressRefused()
    if (addresses.length === 0) throw new Error('The name has no address')
    return addresses
  }
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    findAddresses(hostname).then(
      (addresses) => (all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family)),
      (error: Error) => callback(error, []),
    )
  }
  const mayConnectTo = (hostname: string) =>
    isIP(hostname) === 0 || mayReach({ address: hostname, family: isIP(hostname) })
  return { lookup, mayConnectTo }
}

/**
 * Asks name servers directly. In the thread pool, four names that never resolve would block all file access and all
 * other lookups of the process. The hosts file is not read.
 */
export function lookUpInDns(resolver: Pick<Resolver, 'resolve4' | 'resolve6'>): Lookup {
  return async (hostname) => {
    const describe = (address: string) => ({ address, family: isIP(address) })
    if (isLoopbackName(hostname)) return ['127.0.0.1', '::1'].map(describe)
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    if (addresses.length === 0) throw found.find((each) => each.status === 'rejected')?.reason
    return addresses.map(describe)
  }
}
