import sharp from 'sharp'
import { makeApplicant } from '../applicants.ts'
import type { Kind } from './kind.ts'

/** A PNG of this size, as a screen or a web camera makes it. */
async function png(width: number, height: number): Promise<string> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
  const tile = await sharp({ create: { width: 260, height: 260, channels: 3, background: '#888', noise } })
    .png()
    .toBuffer()
  const picture = await sharp({ create: { width, height, channels: 3, background: '#fff' } })
    .composite([{ input: tile, left: 20, top: 20 }])
    .png()
    .toBuffer()
  return `data:image/png;base64,${picture.toString('base64')}`
}

function withFront(frontIdImage: string): object {
  const applicant = makeApplicant()
  return { ...applicant, documents: [{ ...applicant.documents[0], frontIdImage }] }
}

// biome-ignore format: a table is read by column
export const pictures: readonly Kind[] = [
  { kind: 'a PNG of 1920 × 1080', data: withFront(await png(1920, 1080)), ends: 'ACTIVE', codes: [], why: 'a picture taken in the browser has this size too' },
  { kind: 'a PNG in the size of a phone', data: withFront(await png(2532, 1170)), ends: 'NEEDS_ADDITIONAL_INFORMATION', codes: ['SCREEN_DETECTED'], why: 'the contract flags screenshots, and the customer can take a picture' },
]
