import type { Texts } from '../en.ts'

const otherName = 'يُرجى مراجعة «{field}»: يختلف عن الاسم الذي زُوِّدنا به. صحّحوه إن كان خاطئًا.'
const enter = 'يُرجى إدخال «{field}».'
const upload = 'يُرجى رفع «{field}» أيضًا.'

export const issues: Texts['issues'] = {
  DOCUMENT_MISSING_BACK: 'يُرجى رفع صورة الوجه الخلفي لوثيقة الهوية أيضًا.',
  DOCUMENT_MISSING_FRONT: 'يُرجى رفع صورة الوجه الأمامي لوثيقة الهوية أيضًا.',
  DOCUMENT_NUMBER_UNREADABLE: 'تعذّرت علينا قراءة رقم الوثيقة. يُرجى رفع صورة أوضح بلا انعكاس للضوء.',
  DOC_QUALITY_POOR: 'صورة الوثيقة غير واضحة بما يكفي. يُرجى رفع صورة ملوّنة واضحة تظهر فيها الزوايا الأربع.',
  NAME_UNREADABLE: 'تعذّرت علينا قراءة الاسم على الوثيقة. يُرجى رفع صورة أوضح بلا انعكاس للضوء.',
  NO_FACE_PORTRAIT: 'لم تظهر لنا الصورة الشخصية على وثيقة الهوية. يُرجى رفع صورة للوجه الذي يحمل الصورة الشخصية.',
  MISSING_ID_DETAILS: 'يُرجى استكمال بيانات وثيقة الهوية: نوعها ورقمها وبلد إصدارها.',
  DOCUMENT_EXPIRED: 'انتهت صلاحية الوثيقة. يُرجى رفع وثيقة سارية.',
  NO_GOVERNMENT_ID: 'يُرجى رفع وثيقة هوية رسمية تحمل صورة، مثل جواز السفر أو بطاقة الهوية الوطنية.',
  DOCUMENT_NOT_FOUND: 'لم نجد وثيقة في الملف المرفوع. يُرجى رفع صورة للوثيقة كاملة.',
  UNREADABLE_DOCUMENT: 'تعذّرت علينا قراءة الوثيقة. يُرجى رفع صورة واضحة لا يُحجب فيها شيء.',
  UNRECOGNIZED_DOCUMENT: 'لم نتعرّف على هذا النوع من الوثائق. يُرجى رفع جواز سفر أو بطاقة هوية وطنية.',
  MISSING_DOCUMENT_NUMBER: 'يُرجى إدخال رقم الوثيقة.',
  MISSING_ISSUE_DATE: 'يُرجى إدخال تاريخ إصدار الوثيقة.',
  MISSING_EXPIRY_DATE: 'يُرجى إدخال تاريخ انتهاء الوثيقة.',
  DOCUMENT_FRONT_OR_BACK_MISSING: 'أحد وجهي الوثيقة ناقص. يُرجى رفع صورتي الوجه الأمامي والخلفي.',
  DOCUMENT_BACK_MISSING: 'الوجه الخلفي للوثيقة ناقص. يُرجى رفع صورة له.',
  ID_REQUIRES_ADDITIONAL_VERIFICATION: 'نحتاج إلى مستند إضافي. يُرجى مراجعة العنوان ورفع إثبات حديث له.',
  DATABASE_CHECK_FAILED_ON_STREET_NAME: 'تعذّر علينا تأكيد الشارع. يُرجى مراجعة الشارع ورقم المبنى.',
  DATABASE_CHECK_FAILED_ON_CITY: 'تعذّر علينا تأكيد المدينة. يُرجى مراجعة اسمها وطريقة كتابته.',
  DATABASE_CHECK_FAILED_ON_SUBDIVISION:
    'تعذّر علينا تأكيد الولاية أو المنطقة أو المحافظة. يُرجى التحقق من مطابقتها للعنوان.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE: 'تعذّر علينا تأكيد الرمز البريدي. يُرجى التحقق من مطابقته للعنوان.',
  ADDRESS_TOO_SHORT: 'العنوان غير مكتمل. يُرجى إدخال الشارع مع رقم المبنى والمدينة والرمز البريدي.',
  ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY:
    'إثبات العنوان قديم جدًا. يُرجى رفع إثبات صادر خلال الأشهر الثلاثة الأخيرة.',
  ADDRESS_DOCUMENT_MISSING_NAME: 'لا يظهر اسم على إثبات العنوان. يُرجى رفع إثبات يظهر عليه الاسم الكامل.',
  ADDRESS_DOCUMENT_MISSING_ADDRESS: 'لا يظهر عنوان على إثبات العنوان. يُرجى رفع إثبات يظهر عليه العنوان كاملًا.',
  ADDRESS_DOCUMENT_UNRECOGNIZED_DOCUMENT:
    'لا يمكننا قبول هذا المستند إثباتًا للعنوان. يُرجى رفع فاتورة خدمات أو كشف حساب مصرفي أو خطاب من جهة حكومية.',
  ADDRESS_DOCUMENT_NAME_VERIFICATION_FAILED: 'يختلف الاسم على إثبات العنوان عن الاسم المُدخل. يُرجى تصحيح الخاطئ منهما.',
  ID_DATA_MISMATCH: 'تختلف بعض البيانات المُدخلة عن وثيقة الهوية. يُرجى إدخالها كما هي على الوثيقة تمامًا.',
  INVALID_PARAMETERS: 'بعض المعلومات ناقص أو غير صالح. يُرجى مراجعة كل الحقول وتصحيح الخاطئ منها.',
  INCORRECT_ID_TYPE: 'النوع المختار لا يطابق وثيقة الهوية. يُرجى اختيار النوع المطابق أو رفع وثيقة أخرى.',
  ID_COUNTRY_MISMATCH: 'البلد المُدخل ليس بلد إصدار وثيقة الهوية. يُرجى مراجعة البلد.',
  GOVERNMENT_ID_VERIFICATION_FAILED: 'تعذّر علينا التحقق من وثيقة الهوية. يُرجى رفع صور واضحة لها أو لوثيقة أخرى.',
  DATABASE_CHECK_FAILED_ON_NAME_FIRST: 'تعذّر علينا تأكيد الاسم الأول. يُرجى إدخاله كما هو على وثيقة الهوية تمامًا.',
  DATABASE_CHECK_FAILED_ON_NAME_LAST: 'تعذّر علينا تأكيد اسم العائلة. يُرجى إدخاله كما هو على وثيقة الهوية تمامًا.',
  DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER: 'تعذّر علينا تأكيد رقم الضمان الاجتماعي. يُرجى مراجعة الرقم.',
  INCONSISTENT_INFORMATION: 'بعض الحقول يناقض بعضها بعضًا. يُرجى مراجعة كل الحقول وتصحيح الخاطئ منها.',
  INCONSISTENT_DETAILS: 'تختلف بعض البيانات بين الوثائق. يُرجى مراجعة البيانات والوثائق.',
  VERIFICATION_ISSUE: 'تعذّر علينا إكمال التحقق. يُرجى التواصل مع فريق الدعم للنظر في الأمر.',
  API_ERROR: 'مشكلة تقنية لدينا تؤخر التحقق. يُرجى التواصل مع فريق الدعم إن طال الأمر.',
  NAME_VERIFICATION_FAILED: 'تعذّر علينا تأكيد الاسم. يُرجى إدخال الاسم القانوني الكامل كما هو على وثيقة الهوية تمامًا.',
  ID_TYPE_MISMATCH: 'وثيقة الهوية المرفوعة ليست من النوع المختار. يُرجى اختيار نوع الوثيقة المرفوعة.',
  BIRTH_DATE_MISMATCH: 'تعذّر علينا تأكيد تاريخ الميلاد. يُرجى إدخاله كما هو على وثيقة الهوية تمامًا.',
  ID_NUMBER_NOT_VERIFIED: 'تعذّر علينا تأكيد رقم وثيقة الهوية. يُرجى مراجعة الرقم.',
  MISSING_NAME: 'الاسم غير مكتمل. يُرجى إدخال الاسم القانوني الكامل كما هو على وثيقة الهوية تمامًا.',
  ID_NOT_ALLOWED: 'لا يمكننا قبول وثيقة الهوية هذه. يُرجى رفع وثيقة أخرى مثل جواز السفر.',
  SCREEN_DETECTED: 'يُرجى تصوير الوثيقة نفسها، لا لقطة شاشة ولا صورة لشاشة.',
  DATABASE_LOOKUP_ISSUE: 'تعذّر علينا الاطلاع على معلومات نحتاج إليها. يُرجى التواصل مع فريق الدعم إن طال التحقق.',
  THIRD_PARTY_API_FAILED: 'لم تستجب خدمة نعتمد عليها. يُرجى التواصل مع فريق الدعم إن طال التحقق.',
  API_DATA_REQUIREMENTS_NOT_MET: 'نحتاج إلى مزيد من المعلومات. يُرجى ملء الحقول التي ما زالت فارغة.',
  ID_WARNING: 'وثيقة الهوية قيد المراجعة. يُرجى التواصل مع فريق الدعم لأي استفسار.',
  ADDITIONAL_WARNING: 'طلبكم قيد المراجعة. يُرجى التواصل مع فريق الدعم لأي استفسار.',
  WORKFLOW_CONFIG_ERROR: 'لم يُضبط هذا التحقق لدينا على نحو صحيح. يُرجى التواصل مع فريق الدعم.',
}

export const issuesAbout: Texts['issuesAbout'] = {
  DOCUMENT_MISSING_BACK: upload,
  DOCUMENT_MISSING_FRONT: upload,
  MISSING_ID_DETAILS: enter,
  MISSING_DOCUMENT_NUMBER: enter,
  MISSING_ISSUE_DATE: enter,
  MISSING_EXPIRY_DATE: enter,
  ID_REQUIRES_ADDITIONAL_VERIFICATION:
    'يُرجى مراجعة «{field}»: لا يكفي صندوق البريد وحده. أدخلوا مكان السكن أو العمل أو ارفعوا إثباتًا حديثًا للعنوان.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE: 'تعذّر علينا تأكيد «{field}». يُرجى التحقق من مطابقته للمدينة والولاية.',
  INVALID_PARAMETERS: 'يُرجى مراجعة «{field}»: القيمة غير صالحة.',
  INCONSISTENT_INFORMATION: 'يُرجى مراجعة «{field}»: بعض البيانات يناقض بعضها بعضًا.',
  INCONSISTENT_DETAILS: 'يُرجى مراجعة «{field}»: لا يتوافق مع التواريخ الأخرى.',
  BIRTH_DATE_MISMATCH: 'تعذّر علينا تأكيد «{field}». يُرجى إدخاله كما هو على وثيقة الهوية تمامًا.',
  ID_NUMBER_NOT_VERIFIED: 'تعذّر علينا تأكيد «{field}». يُرجى مراجعته.',
  MISSING_NAME: 'يُرجى إدخال «{field}» كما هو على وثيقة الهوية تمامًا.',
  API_DATA_REQUIREMENTS_NOT_MET: 'يُرجى تقديم «{field}».',
}

export const exactIssues: Texts['exactIssues'] = {
  'API_DATA_REQUIREMENTS_NOT_MET associatedPersons': 'يُرجى إضافة مالكي الشركة ومن يسيطرون عليها، مع حصصهم.',
  'API_DATA_REQUIREMENTS_NOT_MET businessDocuments': 'يُرجى إضافة مستند للشركة.',
  'INCONSISTENT_INFORMATION associatedPersons':
    'يُرجى مراجعة حصص مالكي الشركة: يجب ألا يزيد مجموعها على 100٪، وأن تُكتب كلها نسبًا مئوية أو كلها كسورًا من الواحد.',
  'INVALID_PARAMETERS phoneNumber': 'يُرجى مراجعة «{field}»: لا نعرف رقمًا كهذا في بلده. إن كان صحيحًا فاتركوه كما هو.',
  'ID_DATA_MISMATCH legalFirstName': otherName,
  'ID_DATA_MISMATCH legalLastName': otherName,
  'ID_DATA_MISMATCH legalBusinessName': otherName,
}
