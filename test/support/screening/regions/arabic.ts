import type { Random } from '../generated-list.ts'
import {
  coinArabic,
  coinArabicGiven,
  compound,
  pickByCurve,
  pickDifferent,
  pickRanked,
  pool,
  type Region,
  type Word,
} from './pool.ts'
import { curves } from './published-shares.ts'

const given =
  pool(`Muhammad/Mohammed/Mohamed/Mohammad=محمد Ahmad/Ahmed=أحمد Ali/Aly=علي Hasan/Hassan=حسن Husayn/Hussein/Hussain=حسين Khalid/Khaled=خالد
  Ibrahim/Ebrahim=إبراهيم Mahmud/Mahmoud=محمود Yusuf/Youssef/Yousef=يوسف Umar/Omar=عمر Mustafa/Mostafa/Moustafa=مصطفى Said/Saeed=سعيد
  Salih/Saleh=صالح Abdallah/Abdullah=عبدالله Abd_al-Rahman/Abdulrahman/Abdelrahman=عبدالرحمن Nasir/Nasser=ناصر Sulayman/Suleiman=سليمان
  Salim/Salem=سالم Tariq/Tarek=طارق Jamal/Gamal=جمال Walid/Waleed=وليد Rashid/Rasheed/Rachid=رشيد Karim/Kareem=كريم Faysal/Faisal=فيصل
  Uthman/Othman/Osman=عثمان Musa/Moussa=موسى Isa/Issa=عيسى Hamza/Hamzah=حمزة Bilal/Belal=بلال Mahir/Maher=ماهر Sami/Samy=سامي
  Abd_al-Aziz/Abdulaziz/Abdelaziz=عبدالعزيز Hisham/Hesham=هشام Nabil/Nabeel=نبيل Farid/Fareed=فريد Munir/Mounir=منير Jabir/Jaber=جابر
  Sharif/Sherif/Cherif=شريف Hamid/Hameed=حميد Abd_al-Karim/Abdulkarim/Abdelkrim=عبدالكريم Adil/Adel=عادل Majid/Majed=ماجد Samir/Sameer=سمير
  Zayd/Zaid/Zeid=زيد Qasim/Kassem=قاسم Bassam=بسام Ziyad/Ziad=زياد Ammar=عمار Ghassan=غسان Hatim/Hatem=حاتم Riyad/Riad=رياض Jihad=جهاد
  Fuad/Fouad=فؤاد Ramzi/Ramzy=رمزي Lutfi/Lotfi=لطفي Ayman/Aiman=أيمن Usama/Osama/Oussama=أسامة Imad/Emad=عماد Anwar=أنور Harith/Hareth=حارث
  Fadil/Fadel=فاضل Talal=طلال Badr/Bader=بدر Rami/Ramy=رامي Thamir/Thamer=ثامر Dhiyab/Diab=ذياب Nur_al-Din/Noureddine/Nureddin=نورالدين
  Sultan=سلطان Saad/Saed=سعد Turki=تركي Fahd/Fahad=فهد Yasir/Yasser=ياسر Ashraf=أشرف Ihab/Ehab=إيهاب Wail/Wael=وائل Tamir/Tamer=تامر Majdi/Magdy=مجدي
  Husam/Hossam=حسام Isam/Essam=عصام Fadi/Fady=فادي Marwan=مروان Anas=أنس Ismail/Ismael=إسماعيل Yahya/Yehia=يحيى Ayyub/Ayoub=أيوب Mahdi/Mehdi=مهدي
  Murad/Mourad=مراد Abbas=عباس Jasim/Jassim=جاسم Layth/Laith=ليث Nizar=نزار Firas/Feras=فراس Raid/Raed=رائد Nawwaf/Nawaf=نواف Mansur/Mansour=منصور
  Zakariya/Zakaria=زكريا Idris/Driss=إدريس Harun/Haroun=هارون Dawud/Daoud=داود Luay/Loay=لؤي Qusay/Qusai=قصي Muhannad/Mohannad=مهند Sabri/Sabry=صبري`)
const women =
  pool(`Fatima/Fatma=فاطمة Maryam/Mariam=مريم Aisha/Aicha=عائشة Zaynab/Zainab=زينب Khadija/Khadijah=خديجة Amina/Amena=أمينة Layla/Leila=ليلى
  Nur/Nour=نور Sara/Sarah=سارة Huda/Hoda=هدى Amal=أمل Hanan=حنان Iman/Eman=إيمان Salma=سلمى Samira/Sameera=سميرة Nura/Noura=نورة Raniya/Rania=رانيا
  Dina=دينا Muna/Mona=منى Hiba/Heba=هبة Yasmin/Yasmine=ياسمين Asma/Asmaa=أسماء Rim/Reem=ريم Maha=مها Najat=نجاة Karima/Kareema=كريمة Hayat=حياة
  Suad/Souad=سعاد Rasha=رشا Latifa/Lateefa=لطيفة Nadiya/Nadia=نادية Wafa/Wafaa=وفاء Sawsan=سوسن Ilham/Elham=إلهام Nawal=نوال Sabah=صباح Basma=بسمة`)
const family =
  pool(`al-Masri/el-Masry=المصري al-Harbi=الحربي al-Shammari=الشمري al-Zahrani=الزهراني al-Ghamdi=الغامدي al-Qahtani/al-Kahtani=القحطاني
  al-Utaybi/al-Otaibi=العتيبي al-Mutayri/al-Mutairi=المطيري al-Jaburi/al-Jabouri=الجبوري al-Duri/al-Douri=الدوري al-Tikriti=التكريتي
  al-Hamdani=الحمداني al-Hakim=الحكيم al-Najjar/el-Naggar=النجار al-Haddad/Haddad=الحداد al-Baghdadi=البغدادي al-Halabi=الحلبي al-Shami=الشامي
  al-Libi=الليبي al-Tunisi/al-Tounsi=التونسي al-Sudani=السوداني al-Kurdi=الكردي al-Khatib/el-Khateeb=الخطيب al-Rawi=الراوي al-Qaysi/al-Kaisi=القيسي
  al-Zubaydi/al-Zubaidi=الزبيدي al-Asadi=الأسدي al-Saadi=السعدي al-Rubayi/al-Rubaie=الربيعي al-Hashimi/al-Hashemi=الهاشمي al-Iraqi=العراقي
  al-Yamani=اليماني al-Sharif=الشريف al-Sayyid/el-Sayed=السيد al-Hajj=الحاج Hamdan=حمدان Awad=عوض Nasrallah=نصرالله Darwish=درويش Mansur/Mansour=منصور
  al-Dawsari/al-Dosari=الدوسري al-Shihri/al-Shehri=الشهري al-Maliki=المالكي al-Anazi/al-Enezi=العنزي al-Juhani=الجهني al-Balawi=البلوي Khalil=خليل
  al-Khuri/Khoury=الخوري Shahin/Shaheen=شاهين al-Ubaydi/al-Obaidi=العبيدي al-Tamimi=التميمي al-Bayati=البياتي al-Musawi/al-Mousawi=الموسوي
  al-Dulaymi/al-Dulaimi=الدليمي al-Trabulsi/Trabelsi=الطرابلسي al-Gharbi/Gharbi=الغربي al-Hariri=الحريري al-Sabbagh=الصباغ Barakat=بركات Habib=حبيب
  Ghanim/Ghanem=غانم Yunus/Younes=يونس Ramadan=رمضان Zaki/Zaky=زكي Kamil/Kamel=كامل al-Rashidi=الرشيدي al-Ajmi=العجمي al-Nuaymi/al-Nuaimi=النعيمي
  al-Suwaydi/al-Suwaidi=السويدي al-Balushi=البلوشي al-Busaydi/al-Busaidi=البوسعيدي al-Kabi/al-Kaabi=الكعبي al-Marri=المري al-Hajiri/al-Hajri=الهاجري
  al-Amri=العامري al-Subayi/al-Subaie=السبيعي al-Khafaji=الخفاجي al-Saidi/al-Saedi=الساعدي al-Tai/al-Taee=الطائي al-Janabi/al-Janaby=الجنابي
  al-Attar=العطار al-Bakri=البكري al-Fasi/Fassi=الفاسي al-Idrisi/Idrissi=الإدريسي al-Alawi/Alaoui=العلوي al-Nahdi=النهدي al-Wahibi/al-Wahaibi=الوهيبي`)
const roots =
  pool(`Zawahir=ظواهر Qarad=قراد Hashran=حشران Dulaym/Dulaim=دليم Samarra=سامرا Mashhadan=مشهدان Kubays=كبيس Jawarn=جوارن Barghuth=برغوث
  Shawish=شاويش Tarabuls=طرابلس Qadhdhaf=قذاف Zarqaw=زرقاو Maqdis=مقدس Qaradaw=قرضاو Filistin=فلسطين Hawar=هوار Ramahan=رماحن Fakhur=فاخور
  Sarraj=سراج Bayyat=بيات Jazzar=جزار Khawlan=خولان Marran=مران Sinwar=سنوار Dayf=ضيف Haniyy=هني Mughniy=مغني Tabatab=طباطب Shukayr=شكير
  Khalayl=خلايل Burays=بريص Ruways=رويس Tamim=تميم Ajlun=عجلون Qanbar=قنبر Wahish=وحيش Hallaq=حلاق Bitar=بيطار Fayyum=فيوم`)
const tails = pool(`i/y=ي an/ane=ان ani=اني awi/aoui=اوي`)

/** Adds the article of a family name. */
const withArticle = ({ latin, own }: Word): Word => ({
  latin: latin.map((each) => `al-${each}`),
  ...(own === undefined ? {} : { own: `ال${own}` }),
})

const pickMan = (random: Random) => pickByCurve(random, given, curves.arabicMen, coinArabicGiven)

export const arabic: Region = {
  name: 'Arabic',
  share: 24,
  hasFatherAliases: true,
  make: (random, isWoman) => {
    const first = isWoman ? pickRanked(random, women) : pickMan(random)
    const isOther = (one: Word, other: Word) => one.latin[0] !== other.latin[0]
    const fathers = pickDifferent(random.below(4), () => pickMan(random)).filter((each) => isOther(each, first))
    const shape = random.below(20)
    const last =
      shape < 5
        ? pickRanked(random, family)
        : shape < 10
          ? pickMan(random)
          : shape < 12
            ? withArticle(compound(random, roots, tails))
            : shape < 18
              ? withArticle(coinArabic(random))
              : coinArabic(random)
    return { given: [first], middle: fathers.filter((each) => isOther(each, last)), family: [last] }
  },
}
