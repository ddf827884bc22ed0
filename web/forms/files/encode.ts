import { texts } from '../texts/words.ts'
import { CannotUse, limits } from './limits.ts'

/** A picture that can be drawn, with its size. */
export type Drawable = { source: CanvasImageSource; width: number; height: number }

/** Draws a picture and encodes it so that it fits the limits: smaller if it is too large, finer if it is too small. */
export async function encodeToFit(picture: Drawable): Promise<Blob> {
  if (picture.width < limits.leastPixels || picture.height < limits.leastPixels)
    throw new CannotUse(texts.files.tooSmall)
  const longest = Math.max(picture.width, picture.height)
  let scale = Math.min(1, limits.longestSide / longest)
  for (let attempt = 0; attempt < 6; attempt++) {
    const canvas = draw(picture, scale)
    const blob = await encodeOnce(canvas)
    if (blob.size > limits.mostBytes) scale *= 0.75
    else if (blob.size < limits.leastBytes) scale *= 1.5
    else return blob
  }
  throw new CannotUse(texts.files.unreadable)
}

async function encodeOnce(canvas: HTMLCanvasElement): Promise<Blob> {
  for (const quality of [0.9, 0.97, 1]) {
    const blob = await toBlob(canvas, 'image/jpeg', quality)
    if (blob.size >= limits.leastBytes) return blob
  }
  return toBlob(canvas, 'image/png')
}

function draw({ source, width, height }: Drawable, scale: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  const context = canvas.getContext('2d')
  if (!context) throw new CannotUse(texts.files.unreadable)
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(source, 0, 0, canvas.width, canvas.height)
  return canvas
}

function toBlob(canvas: HTMLCanvasElement, type: string, quality?: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new CannotUse(texts.files.unreadable))), type, quality)
  })
}
