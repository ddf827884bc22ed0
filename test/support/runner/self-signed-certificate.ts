import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

// Tags of X.690, the encoding of certificates.
const tags = { integer: 0x02, bitString: 0x03, octetString: 0x04, oid: 0x06, utf8: 0x0c, time: 0x18, sequence: 0x30 }
const oids = { ecdsaWithSha256: '2a8648ce3d040302', commonName: '550403', subjectAltName: '551d11' }

function encode(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...contents: Buffer[]) => encode(tags.sequence, ...contents)
const oid = (hex: string) => encode(tags.oid, Buffer.from(hex, 'hex'))

/** RFC 5280, section 4.1.2.5.2: YYYYMMDDHHMMSSZ. */
function encodeTime(at: Date): Buffer {
  return encode(tags.time, Buffer.from(`${at.toISOString().replace(/[-:T]|\..*/g, '')}Z`))
}

/**
 * A certificate that no authority signed, valid today for the given names (RFC 5280). Made by hand because Node can
 * sign but not issue, and not every machine has a tool that does.
 */
export function makeSelfSignedCertificate(dnsNames: readonly string[]): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid(oids.ecdsaWithSha256))
  const commonName = sequence(oid(oids.commonName), encode(tags.utf8, Buffer.from('svc test')))
  const name = sequence(encode(0x31, commonName))
  const day = 86_400_000
  const validity = sequence(encodeTime(new Date(Date.now() - day)), encodeTime(new Date(Date.now() + day)))
  // [2] is a DNS name.
  const altNames = sequence(...dnsNames.map((each) => encode(0x82, Buffer.from(each))))
  const extension = sequence(oid(oids.subjectAltName), encode(tags.octetString, altNames))
  const content = sequence(
    encode(0xa0, encode(tags.integer, Buffer.from([2]))), // version 3
    encode(tags.integer, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encode(0xa3, sequence(extension)),
  )
  const signature = encode(tags.bitString, Buffer.from([0]), sign('sha256', content, privateKey))
  const base64 = sequence(content, algorithm, signature).toString('base64')
  const lines = base64.match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}
