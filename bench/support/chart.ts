import type { Row } from './report.ts'

const [width, labelWidth, barWidth, lineHeight] = [900, 440, 360, 22]
const top = 34
/** Bars end here: a row that is far better than its limit hides no other. */
const mostShown = 3

/** Draws one bar for each row, those of the table of limits first: how far it is beyond its limit, which is the line at 1. */
export function drawChart(measured: readonly Row[]): string {
  const rows = measured.toSorted((a, b) => (a.number ?? 100) - (b.number ?? 100))
  const height = lineHeight * rows.length + top + 10
  const limitAt = labelWidth + barWidth / mostShown
  const bars = rows.map((row, at) => {
    const share = 'atLeast' in row.must ? row.measured / row.must.atLeast : row.must.atMost / row.measured
    const length = (Math.min(share, mostShown) / mostShown) * barWidth
    const y = lineHeight * at + top
    const label = `${row.number ? `${row.number}. ` : ''}${row.path}, ${row.unit}`
    return [
      `<text x="${labelWidth - 8}" y="${y + 12}" text-anchor="end">${escapeText(shorten(label))}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(0)}" height="15" fill="${share >= 1 ? '#2f7d4f' : '#b3412e'}"/>`,
      `<text x="${(labelWidth + Math.max(length, limitAt - labelWidth) + 6).toFixed(0)}" y="${y + 12}">${share.toFixed(2)}</text>`,
    ].join('')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>Each measured row as a share of its limit</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${limitAt.toFixed(0)}" y="14" text-anchor="middle">limit</text>`,
    `<text x="${width - 10}" y="14" text-anchor="end">further right is better</text>`,
    ...bars,
    `<line x1="${limitAt.toFixed(0)}" x2="${limitAt.toFixed(0)}" y1="20" y2="${height}" stroke="#333333" stroke-dasharray="4 3"/>`,
    `</svg>`,
    '',
  ].join('\n')
}

function shorten(label: string): string {
  return label.length > 66 ? `${label.slice(0, 65)}…` : label
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
