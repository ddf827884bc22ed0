import type { Texts } from '../en.ts'

const phone = 'أدخلوا رقم الهاتف مع رمز البلد، مثل \u2066+1 415 555 0123\u2069'
const website = 'أدخلوا عنوان موقع إلكتروني مثل \u2066https://example.com\u2069'
const email = 'أدخلوا عنوان بريد إلكتروني مثل \u2066name@example.com\u2069'
const number = '{field}: أدخلوا رقمًا، مثل 25 أو 12.5'

export const problems: Texts['problems'] = {
  byName: { phoneNumber: phone, website, email, ownershipPercentage: number },
  byRule: {
    REQUIRED: 'يُرجى ملء الحقل: {field}',
    TOO_LONG: '{field}: يُرجى اختصار الإجابة',
    'TOO_LONG: {demand}': '{field}: يُرجى ألا تزيد الإجابة على {characters}',
    TOO_SHORT: '{field}: يُرجى ألا تقل الإجابة عن {characters}',
    DATE: '{field}: أدخلوا تاريخًا صحيحًا باليوم والشهر والسنة من أربعة أرقام',
    POSTAL_CODE: '{field}: يُكتب في هذا البلد على النحو \u2066{demand}\u2069',
    POSTAL_CODE_LETTERS: '{field}: استخدموا ما لا يزيد على 20 من الأحرف والأرقام والمسافات والشُرَط',
    REGION: '{field}: اختاروا من القائمة',
    NATIONAL_ID: '{field}: أدخلوا البلد والنوع والرقم معًا، أو اتركوا الحقول الثلاثة فارغة',
    COUNTRY: '{field}: اختاروا بلدًا من القائمة',
    PHONE_NUMBER: phone,
    WEB_ADDRESS: website,
    EMAIL: email,
    NUMBER: number,
    CHOICE: '{field}: اختاروا من القائمة',
  },
  invalid: '{field}: لا يمكن قبول هذه الإجابة. يُرجى مراجعتها',
  impossibleDate: '{field}: لا يمكن أن يكون هذا التاريخ صحيحًا. راجعوا اليوم والشهر والسنة',
  refused: '{field}: تعذّر حفظ تعديلكم الأخير. راجعوا ما يظهر هنا الآن وأعيدوا إدخاله عند الحاجة',
  missing: { fill: 'يُرجى ملء الحقل: {field}', choose: 'يُرجى الاختيار: {field}', add: 'يُرجى إضافة: {field}' },
  noControlPerson: 'يجب أن يسيطر شخص واحد على الشركة، بصفته مديرًا لها مثلًا: عدّلوا بيانات ذلك الشخص وأجيبوا هناك بنعم',
}

export const refusedFiles: Texts['files']['refused'] = {
  FILE_SIZE: 'حجم الملف صغير جدًا أو كبير جدًا: يجب أن يكون بين 100 كيلوبايت و10 ميغابايت. اختاروا ملفًا آخر.',
  FILE_TYPE: 'لا يمكن استخدام هذا النوع من الملفات. اختاروا صورة (JPG أو PNG أو HEIC أو WebP) أو ملف PDF.',
  FILE_DAMAGED: 'الملف تالف ولا يمكن فتحه. اختاروا ملفًا آخر.',
  FILE_PIXELS: 'الصورة صغيرة جدًا أو كبيرة جدًا. التقطوا صورة جديدة للوثيقة.',
  FILE_ANIMATED: 'الصورة متحركة. اختاروا صورة ثابتة.',
  FILE_PASSWORD: 'الملف محمي بكلمة مرور. أزيلوا كلمة المرور أو التقطوا صورة للوثيقة.',
  FILE_PAGES: 'عدد صفحات الملف كبير جدًا: الحد الأقصى 50 صفحة. اختاروا ملفًا أقصر.',
  FILE_CONTENT: 'يحتوي الملف على أجزاء لا يمكننا قبولها. اطبعوه إلى ملف PDF جديد أو التقطوا صورة للوثيقة.',
}
