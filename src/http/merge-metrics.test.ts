import { expect, test } from 'vitest'
import { mergeMetrics } from './merge-metrics.ts'

test.each([
  // the texts, the joined text
  [['# HELP a A\n# TYPE a gauge\na{process="1"} 1\n'], '# HELP a A\n# TYPE a gauge\na{process="1"} 1\n'],
  [
    [
      '# HELP a A\n# TYPE a gauge\na{process="1"} Nan\n\n# HELP b B\n# TYPE b counter\nb{process="1"} 2\n',
      '# HELP b B\n# TYPE b counter\nb{process="2"} 3\n\n# HELP c C\n# TYPE c gauge\nc{process="2"} 4\n',
    ],
    '# HELP a A\n# TYPE a gauge\na{process="1"} Nan\n\n# HELP b B\n# TYPE b counter\nb{process="1"} 2\nb{process="2"} 3\n\n# HELP c C\n# TYPE c gauge\nc{process="2"} 4\n',
  ],
])('metrics of several processes have each head once: %j', (texts, joined) => {
  expect(mergeMetrics(texts)).toBe(joined)
})
