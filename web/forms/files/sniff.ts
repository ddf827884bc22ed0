export type FileKind = 'jpeg' | 'png' | 'pdf' | 'heic' | 'picture' | 'unknown'

const heicBrands = ['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'mif1', 'msf1']

/** Tells what a file is by its first bytes: names and types of phones and scanners are often wrong. */
export async function sniff(file: Blob): Promise<FileKind> {
  const bytes = new Uint8Array(await file.slice(0, 32).arrayBuffer())
  const text = String.fromCharCode(...bytes)
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg'
  if (text.startsWith('\x89PNG')) return 'png'
  if (text.includes('%PDF-')) return 'pdf'
  if (text.slice(4, 8) === 'ftyp' && heicBrands.includes(text.slice(8, 12))) return 'heic'
  const isWebp = text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP'
  const isOther = text.startsWith('GIF8') || text.startsWith('BM') || text.slice(4, 12) === 'ftypavif'
  return isWebp || isOther ? 'picture' : 'unknown'
}
